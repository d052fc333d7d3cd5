/** The API over real days: what it lists is what the snapshot holds, and the newest points of histories say the same. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { downloadLines } from '../support/api/downloads.ts';
import { pageList } from '../support/api/lists.ts';
import { openApi, type TestApi } from '../support/api/open-api.ts';
import { CapturedStore } from '../support/backfill/captured-store.ts';
import { REAL_DATA } from '../support/real-data.ts';

const DAYS = ['2025-06-04', '2025-06-05', '2025-06-09'];
const [NEWEST = ''] = DAYS.slice(-1);

type Row = Readonly<Record<string, unknown>>;

describe.skipIf(REAL_DATA === undefined)('the API over real days', () => {
  let place: CapturedStore;
  let api: TestApi;
  let lines: Readonly<Record<string, readonly string[]>>;

  beforeAll(async () => {
    const source = REAL_DATA ?? '';
    place = await CapturedStore.open();
    const [first = '', ...others] = DAYS;
    await place.publishFrom(source, first);
    api = await openApi({ store: `file:${join(place.folder, 'store')}`, now: '2025-06-12T12:00:00Z' });
    for (const day of others) {
      await place.publishFrom(source, day);
      await api.follower.refresh();
    }
    await place.backfill({ table: join(source, 'pricing_history.jsonl'), from: '2025-02-06' });
    await api.follower.refresh();
    lines = await downloadLines(api, NEWEST);
  }, 240_000);
  afterAll(async () => {
    await api?.close();
    await place?.close();
  });

  test.each(['models', 'benchmarks', 'scores'])('the pages of %s are the lines of the snapshot', async (name) => {
    const records = await pageList(api, `/v1/${name}?limit=200`);
    expect(records.map((record) => JSON.stringify(record))).toEqual(lines[name]);
  });

  test('the details of all models hold the scores, ranks and prices of the snapshot', async () => {
    const found: Record<string, string[]> = { scores: [], rankings: [], pricing: [] };
    for (const line of lines['models'] ?? []) {
      const detail = await api.json(`/v1/models/${encodeURIComponent(JSON.parse(line).id)}`);
      for (const [name, all] of Object.entries(found)) {
        all.push(...(detail[name] as readonly Row[]).map((row) => JSON.stringify(row)));
      }
    }
    for (const [name, all] of Object.entries(found)) expect(all, name).toEqual(lines[name]);
  });

  test('the points of the newest day are the values of the snapshot, and earlier ones are never of a day without a night', async () => {
    const kinds = {
      score: ['scores', 'value'],
      ranking: ['rankings', 'rank'],
      pricing: ['pricing', 'input_per_million'],
    } as const;
    const ids = (lines['models'] ?? []).map((line) => String(JSON.parse(line).id)).filter((_, i) => i % 7 === 0);
    for (const [kind, [name, field]] of Object.entries(kinds)) {
      const rows = (lines[name] ?? []).map((line) => JSON.parse(line) as Row);
      for (const id of ids) {
        const body = await api.json(`/v1/models/${encodeURIComponent(id)}/history?kind=${kind}`);
        const points = body['points'] as readonly Row[];
        const newest = points.filter(({ date }) => date === NEWEST).map(({ value }) => value);
        expect(newest, `${kind} of ${id}`).toEqual(
          rows.filter((row) => row['model_id'] === id).map((row) => row[field]),
        );
        const captured = points.filter(({ source }) => source === 'capture').map(({ date }) => String(date));
        expect(DAYS).toEqual(expect.arrayContaining([...new Set(captured)]));
        const dates = points.map(({ date }) => String(date));
        expect(dates).toEqual([...dates].sort());
      }
    }
  });
});
