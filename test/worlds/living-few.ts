/**
 * Small random days of models that come, go, come back, are set aside for a night, and whose dates of retirement are set, moved and
 * withdrawn, around the cutover to record version 1.2.
 */
import { addDays, type Day } from '../../runtime/day.ts';
import type { DayRows } from '../support/pipeline/write-day.ts';
import type { Chooser } from '../support/random.ts';
import { CUTOVER } from './rated-days.ts';

/** A day is missing; more days in `make test-long`. */
export const LIVED_DAYS: readonly Day[] = (
  process.env['LISTS'] === 'all' ? [-2, -1, 0, 1, 2, 4, 5] : [-2, -1, 0, 1, 3]
).map((days) => addDays(CUTOVER, days));

export const LIVING_IDS = [
  ...['a', 'A', 'a/b', 'ab', 'b,c', '\u{1f600}', '\uffee', 'é', 'x:y', 'a%b', 'm 1', 'm"2"', "m'3", '\u202em4'],
  ...Array.from({ length: 12 }, (_, at) => `n${at}`),
];

export interface LivingRow {
  readonly id: string;
  readonly [column: string]: unknown;
}

/** By day; a model of one day may be missing on the next, and be back later. */
export function livingFew(choose: Chooser): ReadonlyMap<Day, readonly LivingRow[]> {
  const worlds = new Map<Day, readonly LivingRow[]>();
  let before: ReadonlyMap<string, LivingRow> = new Map();
  for (const day of LIVED_DAYS) {
    const rows = LIVING_IDS.filter(() => choose.chance(0.8)).map((id) => {
      const old = before.get(id);
      return old !== undefined && choose.chance(0.6) ? old : living(choose, id, day);
    });
    worlds.set(day, rows);
    before = new Map([...before, ...rows.map((row) => [row.id, row] as const)]);
  }
  return worlds;
}

export function dayRows(models: readonly LivingRow[]): DayRows {
  const pricing = models
    .filter(({ id }) => id < 'n')
    .map(({ id }, at) => ({ model_id: id, provider: at % 2 === 0 ? 'p1' : 'p2', input_per_million: at / 2 }));
  return { models, benchmarks: [{ id: 'x', name: 'X' }], scores: [], rankings: [], pricing };
}

function living(choose: Chooser, id: string, day: Day): LivingRow {
  const date = () =>
    choose.pick([
      null,
      null,
      '1970-01-01',
      '2100-12-31',
      '2024-02-29',
      ...[-1, 0, 1, 2, 30, 365].map((days) => addDays(day, days)),
    ]);
  return {
    id,
    name: choose.pick([id, 'Same', 'İstanbul', 'ΌΣΟΣ']),
    organization: choose.pick(['maker', 'Maker', null, 'ö']),
    release_date: choose.pick([null, '2025-01-01', '2026-01-01']),
    context_length: choose.pick([null, 1000, 2000]),
    inference: choose.pick([null, [], ['p1'], ['p1', 'p2']]),
    updated_at: `${choose.pick([day, '2026-01-01'])}T${choose.pick(['00:00:00Z', '00:00:00.250Z', '20:55:45Z'])}`,
    status: choose.pick([null, null, 'active', 'preview', 'deprecated', 'retired']),
    deprecated_on: date(),
    retires_on: date(),
    replaced_by: choose.pick([null, 'a', 'never']),
  };
}
