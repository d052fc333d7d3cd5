import { beforeEach, describe, expect, test } from 'vitest';
import * as faults from '../support/fetch/faults.ts';
import { TWO_UPSTREAMS_SQL, useTwoUpstreams } from '../support/fetch/two-upstreams.ts';
import { perTest } from '../support/per-test.ts';

const place = perTest(useTwoUpstreams);

const [FIRST, SECOND, THIRD] = ['2026-06-01', '2026-06-02', '2026-06-03'] as const;

describe('an upstream that has never been there', () => {
  /** For two nights: what an upstream hasn't got isn't asked for again. */
  beforeEach(() => place.mall.break('/mall.json', ...Array(2).fill(faults.status(404))));

  test('is missing in the first nights, and all others begin without it', async () => {
    for (const [day, prices, events] of [
      [FIRST, { a: 1, b: 2 }, { upsert: 4, delete: 0 }],
      [SECOND, { a: 1 }, { upsert: 0, delete: 2 }],
    ] as const) {
      place.shop.serve('/shop.json', prices);
      const rows = Object.keys(prices).length;
      const result = await place.night(day, { accept: true });
      expect(result).toMatchObject({ status: 'published', records: { models: rows, pricing: rows }, quarantined: 0 });
      expect(result.events).toEqual(events);
      expect(result.warnings.slice(0, 2)).toEqual([
        expect.stringMatching(/^mall\.json of mall could not be fetched from .*; no earlier file can replace it$/),
        'nothing of mall is captured until mall.json has been fetched once; other upstreams continue',
      ]);
      const { release } = await place.newest();
      expect(release.fetched?.[1]).toMatchObject({ status: 'failed', never_fetched: true, failed_since: FIRST });
      expect(release.upstream_rows).toEqual({ models: { shop: { rows, day } }, pricing: { shop: { rows, day } } });
    }
    place.mall.serve('/mall.json', { b: 5, c: 7 });
    expect(await place.night(THIRD)).toMatchObject({ records: { models: 3, pricing: 3 }, quarantined: 0 });
    expect(await place.verifyAll()).toMatchObject({ ok: true, snapshots: 3 });
  });

  test('leaves a dataset that it alone fills not captured, rather than empty', async () => {
    const ranks = `-- rankings
SELECT id AS model_id, 'c' AS category, 1 AS rank, 'mall' AS upstream FROM read_csv('ranks.csv', filename = true);
`;
    await place.writeSource({
      sql: TWO_UPSTREAMS_SQL + ranks,
      more: [{ file: 'ranks.csv', columns: { id: 'VARCHAR' } }],
    });
    expect(await place.night(FIRST)).toMatchObject({ status: 'published', records: { models: 2, rankings: 0 } });
    const { release } = await place.newest();
    expect(release.captured).toEqual(['models', 'pricing']);
  });

  test('is the first thing that is told where its columns are unknown, and all refers to what it keeps away', async () => {
    await place.writeSource({
      sql: TWO_UPSTREAMS_SQL.replace(`read_json_objects('mall.json')`, `read_json('mall.json')`),
    });
    const why = 'mall\\.json of mall could not be fetched from http://[^ ]+: [^ ]+ responded with 404';
    expect((await place.night(FIRST)).problems).toEqual([
      expect.stringMatching(
        `^models: not captured: ${why}, and source\\.sql reads it; list its columns in source\\.json so that the other upstreams continue$`,
      ),
      expect.stringMatching(/^pricing: 2 of 2 rows are bad/),
    ]);
  });
});

test('where a file may be carried, rows that do not name their upstreams reject the night, on good days too', async () => {
  await place.writeSource({ sql: TWO_UPSTREAMS_SQL.replace(', [upstream] AS upstream', '') });
  expect(await place.night(FIRST)).toMatchObject({
    status: 'rejected',
    problems: [
      'source.sql (pricing): the column upstream is missing; it must name the upstreams of each row because a fetched file has carry',
    ],
  });
});
