import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { addDays } from '../../runtime/day.ts';
import { RELEASE_PATHS, releaseKey } from '../../storage/keys.ts';
import * as faults from '../support/fetch/faults.ts';
import { TWO_UPSTREAMS_SQL, type TwoUpstreams, useTwoUpstreams } from '../support/fetch/two-upstreams.ts';

let place: TwoUpstreams;
beforeEach(async () => {
  place = await useTwoUpstreams();
});

const FIRST = '2026-06-01';

describe('an upstream that has never been there', () => {
  /** For three nights: what an upstream hasn't got isn't asked for again. */
  beforeEach(() => place.mall.break('/mall.json', ...Array(3).fill(faults.status(404))));

  test('is missing in the first nights, and all others begin without it', async () => {
    for (const day of [FIRST, addDays(FIRST, 1)]) {
      const result = await place.night(day);
      expect(result).toMatchObject({ status: 'published', records: { models: 2, pricing: 2 }, quarantined: 0 });
      expect(result.warnings.slice(0, 2)).toEqual([
        expect.stringMatching(
          /^mall\.json of mall could not be fetched from .*; there is no earlier one to stand in for it$/,
        ),
        'nothing of mall is captured before mall.json has been fetched once; all others go on',
      ]);
      const { release } = await place.newest();
      expect(release.fetched?.[1]).toMatchObject({ status: 'failed', never_fetched: true, failed_since: FIRST });
      expect(release.upstream_rows).toEqual({
        models: { shop: { rows: 2, day } },
        pricing: { shop: { rows: 2, day } },
      });
    }
    expect((await place.newest()).release.events).toEqual({ upsert: 0, delete: 0 });
    place.shop.serve('/shop.json', { a: 1 });
    await place.night(addDays(FIRST, 2), { accept: true });
    expect((await place.newest()).release.events).toEqual({ upsert: 0, delete: 2 });
    place.mall.serve('/mall.json', { b: 5, c: 7 });
    expect(await place.night(addDays(FIRST, 3))).toMatchObject({ records: { models: 3, pricing: 3 }, quarantined: 0 });
    expect(await place.verifyAll()).toMatchObject({ ok: true, snapshots: 4 });
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
    const why = 'mall\\.json of mall could not be fetched from http://[^ ]+: [^ ]+ answered 404';
    expect((await place.night(FIRST)).problems).toEqual([
      expect.stringMatching(
        `^models: not captured: ${why}, and source\\.sql reads it; with its columns in source\\.json the other upstreams would go on$`,
      ),
      expect.stringMatching(/^pricing: 2 of 2 rows are bad/),
    ]);
  });
});

test('a stored file is found damaged by verify, and comes back from the night before', async () => {
  await place.night(FIRST);
  await place.night(addDays(FIRST, 1));
  const { release } = await place.newest();
  const path = RELEASE_PATHS.fetched('mall.json');
  await writeFile(join(place.store.folder, releaseKey(release, path)), 'other');
  expect((await place.verifyAll()).problems).toEqual([
    { snapshot: release.day, message: expect.stringContaining(path) },
  ]);
  await place.store.republish(release.day);
  expect(await readFile(join(place.store.folder, releaseKey(release, path)), 'utf8')).toBe('{"b":5,"c":7}');
  expect((await place.verifyAll()).problems).toEqual([]);
});

test('where a file may be carried, rows that do not name their upstreams reject the night, on good days too', async () => {
  await place.writeSource({ sql: TWO_UPSTREAMS_SQL.replace(', [upstream] AS upstream', '') });
  expect(await place.night(FIRST)).toMatchObject({
    status: 'rejected',
    problems: [
      'source.sql (pricing): the column upstream is missing, which names the upstreams of each row: a fetched file has carry',
    ],
  });
});
