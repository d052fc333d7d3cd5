import { addDays, type Day } from '../../../../runtime/day.ts';
import type { DatasetName } from '../../../../schemas/datasets.ts';
import type { World } from '../../world.ts';
import type { QueryReader } from './query-reader.ts';

const DAYS_MAX = 400;

export interface DayRange {
  readonly from: Day;
  readonly to: Day;
}

/** The days that are served (specification "History requests"): `to` is clamped to today, `from` is 400 days before it. */
export function readRange(reader: QueryReader, today: Day): DayRange {
  const asked = reader.text('to') ?? today;
  const to = asked > today ? today : asked;
  return { from: reader.text('from') ?? addDays(to, -DAYS_MAX), to };
}

/** What was served, for a caller whose plan has no limit. */
export function windowFrom(range: DayRange, world: World, dataset: DatasetName): object {
  const firstDays = Array.from(world.series[dataset].values(), ({ days }) => days[0] ?? '');
  const available_from = firstDays.length === 0 ? null : firstDays.reduce((a, b) => (a < b ? a : b));
  return { from: range.from, to: range.to, plan_limit_from: null, available_from };
}
