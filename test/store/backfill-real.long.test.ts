import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { BackfillResult } from '../../pipeline/backfill/backfill.ts';
import { loadDay } from '../night-oracle/load-day.ts';
import { backfill, readIntervals } from '../support/backfill/pricing-table.ts';
import { openTemporaryStore, type TemporaryStore } from '../support/pipeline/temporary-store.ts';
import { REAL_DATA } from '../support/real-data.ts';

/** The first captured days; the models of the table appear one after the other over the following year. */
const DAYS = ['2025-06-04', '2025-06-05', '2025-06-09'];
const FROM = '2025-02-06';

describe.skipIf(REAL_DATA === undefined)('the real pricing table', () => {
  const source = REAL_DATA ?? '';
  const table = join(source, 'pricing_history.jsonl');
  let place: TemporaryStore;

  beforeAll(async () => {
    place = await openTemporaryStore();
    for (const day of DAYS)
      expect(await place.night(source, day, { accept: true })).toMatchObject({ status: 'published' });
  }, 240_000);
  afterAll(() => place.dispose());

  /** Every line of the table is placed or listed, and listed once. */
  function expectAllAccountedFor(result: BackfillResult): void {
    const lines = readFileSync(result.issues, 'utf8').trim().split('\n');
    const listed = lines.map((line) => z.object({ line: z.number() }).parse(JSON.parse(line)).line);
    expect(new Set(listed).size).toBe(listed.length);
    expect(result.rows).toBe(970);
    expect(result.rows_placed + listed.length).toBe(result.rows);
  }

  test('without --from only prices with a known start are placed, and every other row is listed', async () => {
    const result = await backfill(place, { table });
    expect(result).toMatchObject({ status: 'published', rows_placed: 36, intervals: 36, first_captured: DAYS[0] });
    expect(result).toMatchObject({ last_day: '2025-06-03', not_placed: { unknown_model: 889, start_unknown: 45 } });
    expectAllAccountedFor(result);
  });

  test('with --from the prices that were in force already begin there', async () => {
    const result = await backfill(place, { table, from: FROM });
    expect(result).toMatchObject({ rows_placed: 81, intervals: 81, first_day: FROM, last_day: '2025-06-03' });
    expect(result.not_placed).toEqual({ unknown_model: 889 });
    expectAllAccountedFor(result);
    expect(await backfill(place, { table, from: FROM })).toMatchObject({ status: 'unchanged' });
  });

  test('no interval reaches into the captured days or names a model that the store does not know', async () => {
    const intervals = (await readIntervals(place)) ?? [];
    const captured = DAYS.flatMap((day) => loadDay(join(source, day)).rows.models ?? []);
    const known = new Set(captured.map((row) => z.object({ id: z.string() }).parse(row).id));
    expect(intervals.filter(({ model_id }) => !known.has(String(model_id)))).toEqual([]);
    for (const { valid_from, valid_to } of intervals) {
      const days = [FROM, String(valid_from), String(valid_to), '2025-06-03'];
      expect([...days].sort()).toEqual(days);
    }
  });
});
