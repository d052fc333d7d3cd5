import type { DatasetName } from '../../../schemas/datasets.ts';
import { addDays, type Day } from '../../../schemas/day.ts';
import type { QueryReader } from '../query-reader.ts';
import type { World } from '../world.ts';

const DAYS_MAX = 400;
const DAY_MS = 86_400_000;

export interface DayRange {
  readonly from: Day;
  readonly to: Day;
}

/** The days that are served (specification "History requests"): `to` is clamped to today, `from` is 400 days before it. */
export function readRange(reader: QueryReader, today: Day): DayRange {
  const [asked, explicit] = [reader.day('to'), reader.day('from')];
  const to = asked === undefined || asked > today ? today : asked;
  const from = explicit ?? addDays(to, -DAYS_MAX);
  if (explicit !== undefined && explicit > today) reader.problem('from', 'value_error');
  else if (explicit !== undefined && isToReadable(reader)) checkRange(reader, { from, to });
  return { from, to };
}

/** Without a readable `to` nothing can be said about the range. */
function isToReadable({ problems }: QueryReader): boolean {
  return !problems.some(({ loc }) => loc[1] === 'to');
}

function checkRange(reader: QueryReader, { from, to }: DayRange): void {
  if (from > to) reader.problem('from', 'value_error');
  else if ((Date.parse(to) - Date.parse(from)) / DAY_MS > DAYS_MAX) reader.problem('from', 'range_too_large');
}

/** What was served, for a caller whose plan has no limit. */
export function windowFrom(range: DayRange, world: World, dataset: DatasetName): object {
  const firstDays = Array.from(world.series[dataset].values(), ({ days }) => days[0] ?? '');
  const available_from = firstDays.length === 0 ? null : firstDays.reduce((a, b) => (a < b ? a : b));
  return { from: range.from, to: range.to, plan_limit_from: null, available_from };
}
