/**
 * A source of five days around a change of the records' version: the day before the notice, its first, its last, the
 * cutover, on which everything that can happen to a record happens at once, and the day after.
 */
import { join } from 'node:path';
import type { Day } from '../../runtime/day.ts';
import { publishDays } from '../support/pipeline/sample-store.ts';
import type { TemporaryStore } from '../support/pipeline/temporary-store.ts';
import { type DayRows, writeDay } from '../support/pipeline/write-day.ts';
import { versionsWith, versionTwo } from '../support/schemas/record-versions.ts';

export const BEFORE = '2026-03-31';
export const NOTICE = '2026-04-01';
export const LAST = '2026-04-30';
export const CUTOVER = '2026-05-01';
export const AFTER = '2026-05-02';
export const DAYS: readonly Day[] = [BEFORE, NOTICE, LAST, CUTOVER, AFTER];

/** 1.0 to the cutover, then 2.0. */
export const VERSIONS = versionsWith(versionTwo(CUTOVER, NOTICE));

/**
 * On the cutover `gone` is deleted with all that hangs on it, `new` comes, `bad` has a bad row, the score of `moved` changes,
 * `same` stays, and prices are not captured. On the day after, prices are back and one has changed.
 */
export async function writeVersionedDays(source: string): Promise<void> {
  for (const [index, day] of DAYS.entries()) await writeDay(join(source, day), rowsOf(day, index));
}

/** Publishes days from the folder in which they were written. */
export function publishVersionedDays(store: TemporaryStore, source: string, days = DAYS): Promise<void> {
  return publishDays(store, days, () => source);
}

/** The rows of a day, told by its number too. */
function rowsOf(day: Day, index: number): DayRows {
  const updated_at = `${day}T01:00:00Z`;
  const dated = (rows: readonly object[]) => rows.map((row) => ({ ...row, updated_at }));
  const isBefore = day < CUTOVER;
  const models = ['moved', 'same', 'bad', 'idle', ...(isBefore ? ['gone'] : ['new'])];
  const sellers = isBefore ? ['moved', 'same', 'idle', 'gone'] : ['moved', 'same', 'idle'];
  const price = (id: string) => {
    const amounts = { input_per_million: id === 'moved' && day === AFTER ? 3 : 1.5, output_per_million: 4 };
    return { model_id: id, provider: 'shop:eu', ...amounts };
  };
  return {
    models: dated(
      models.map((id) => ({ id, name: id === 'bad' && day === CUTOVER ? '' : `Model "${id}"`, inference: ['shop'] })),
    ),
    benchmarks: dated([
      { id: 'x', name: 'X', category: 'general' },
      { id: 'y', name: 'Y' },
    ]),
    scores: dated(
      models.map((id) => ({ model_id: id, benchmark_id: 'x', value: id === 'moved' ? index / 8 : 0.5, n: 100 })),
    ),
    rankings: dated([
      { model_id: 'moved', category: 'general', rank: 1, trueskill_mu: 25.5 },
      { model_id: 'same', category: 'general', rank: 2 },
      { model_id: 'idle', category: 'general', rank: 3 },
      ...(isBefore ? [{ model_id: 'gone', category: 'general', rank: 4 }] : []),
    ]),
    pricing: day === CUTOVER ? undefined : dated(sellers.map(price)),
  };
}
