/**
 * Four days around the version of the records in which models and prices say whose word they are (1.1): the first, the last in 1.0,
 * the cutover, and the day after. Their source says it on all of them.
 */
import { join } from 'node:path';
import type { Day } from '../../runtime/day.ts';
import type { TemporaryStore } from '../support/pipeline/temporary-store.ts';
import { type DayRows, writeDay } from '../support/pipeline/write-day.ts';

export const FIRST = '2026-11-21';
export const LAST = '2026-11-22';
export const CUTOVER = '2026-11-23';
export const AFTER = '2026-11-24';
export const DAYS: readonly Day[] = [FIRST, LAST, CUTOVER, AFTER];

/**
 * On the last day in 1.0 one price changes its source, which nobody keeps yet. On the cutover the price of `moved` and the name of
 * `named` change, `gone` goes, `new` comes, and benchmarks are not captured. On the day after nothing but the source of the price of
 * `same` changes.
 */
export async function publishSourcedDays(store: TemporaryStore, days: readonly Day[] = DAYS): Promise<void> {
  for (const day of days) {
    const folder = join(store.folder, '..', 'sourced', day);
    await writeDay(folder, rowsOf(day));
    const { status } = await store.night(folder, day, { accept: true });
    if (status !== 'published') throw new Error(`${day} is ${status}`);
  }
}

function rowsOf(day: Day): DayRows {
  const isNew = day >= CUTOVER;
  const models = ['moved', 'named', 'same', isNew ? 'new' : 'gone'];
  const others = [['named', FIRST, 'other'] as const, ['same', AFTER, 'mall']];
  const price = (id: string) => ({
    model_id: id,
    provider: 'p',
    input_per_million: id === 'moved' && isNew ? 3 : 1,
    source: others.find(([model, on]) => model === id && on === day)?.[2] ?? 'shop',
  });
  return {
    models: models.map((id) => ({ id, name: id === 'named' && isNew ? 'Other' : id, source: 'shop' })),
    ...(day === CUTOVER ? {} : { benchmarks: [{ id: 'x', name: 'X' }] }),
    scores: models.map((id) => ({ model_id: id, benchmark_id: 'x', value: 1, source: 'vendor', n: 9 })),
    rankings: [{ model_id: 'same', category: 'general', rank: 1 }],
    pricing: models.map(price),
  };
}
