/**
 * A source of five days around a change of the records' version: the day before the notice, its first, its last, the
 * cutover, on which everything that can happen to a record happens at once, and the day after.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Day } from '../schemas/day.ts';
import { versionsWith, versionTwo } from '../schemas/testing/record-versions.ts';

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
  for (const [index, day] of DAYS.entries()) await writeDay(join(source, day), day, index);
}

async function writeDay(folder: string, day: Day, index: number): Promise<void> {
  const updated_at = `${day}T01:00:00Z`;
  const write = (name: string, rows: readonly object[]) =>
    writeFile(join(folder, `${name}.jsonl`), rows.map((row) => `${JSON.stringify({ ...row, updated_at })}\n`).join(''));
  const isBefore = day < CUTOVER;
  const models = ['moved', 'same', 'bad', 'idle', ...(isBefore ? ['gone'] : ['new'])];
  await mkdir(folder, { recursive: true });
  await write(
    'models',
    models.map((id) => ({ id, name: id === 'bad' && day === CUTOVER ? '' : `Model "${id}"`, inference: ['shop'] })),
  );
  await write('benchmarks', [
    { id: 'x', name: 'X', category: 'general' },
    { id: 'y', name: 'Y' },
  ]);
  await write(
    'scores',
    models.map((id) => ({ model_id: id, benchmark_id: 'x', value: id === 'moved' ? index / 8 : 0.5, n: 100 })),
  );
  await write('rankings', [
    { model_id: 'moved', category: 'general', rank: 1, trueskill_mu: 25.5 },
    { model_id: 'same', category: 'general', rank: 2 },
    { model_id: 'idle', category: 'general', rank: 3 },
    ...(isBefore ? [{ model_id: 'gone', category: 'general', rank: 4 }] : []),
  ]);
  if (day === CUTOVER) return;
  const sellers = isBefore ? ['moved', 'same', 'idle', 'gone'] : ['moved', 'same', 'idle'];
  const price = (id: string) => (id === 'moved' && day === AFTER ? 3 : 1.5);
  await write(
    'pricing',
    sellers.map((id) => ({ model_id: id, provider: 'shop:eu', input_per_million: price(id), output_per_million: 4 })),
  );
}
