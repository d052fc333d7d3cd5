/** What several routes read alike: parameters, days, ids that are known, and the points of histories. */
import { addDays, type Day } from '../../runtime/day.ts';
import type { DatasetName } from '../../schemas/datasets.ts';
import { keyText } from '../night-oracle/canonical.ts';
import type { Values } from '../night-oracle/row-rules.ts';
import type { Parameters } from './route.ts';
import type { World } from './world.ts';

const DAYS_MAX = 400;

/** A parameter that is in order; api/data/responses/validation.test.ts has those that are not. */
export function numberOf(query: Parameters, name: string): number | undefined {
  const text = query[name];
  return text === undefined ? undefined : Number(text);
}

export function oneOf<T extends string>(text: string | undefined, values: readonly T[]): T | undefined {
  return values.find((value) => value === text);
}

export interface DayRange {
  readonly from: Day;
  readonly to: Day;
}

/** The days that are served (specification "History requests"): `to` is clamped to today, `from` is 400 days before it. */
export function readRange({ from, to: asked }: Parameters, today: Day): DayRange {
  const to = asked === undefined || asked > today ? today : asked;
  return { from: from ?? addDays(to, -DAYS_MAX), to };
}

/** What was served, for a caller whose plan has no limit. */
export function windowFrom(range: DayRange, world: World, dataset: DatasetName): object {
  const firstDays = Array.from(world.series[dataset].values(), ({ days }) => days[0] ?? '');
  return { ...range, plan_limit_from: null, available_from: firstDays.sort()[0] ?? null };
}

/** Whether a ranking of this category was ever captured, or is in force. */
export function isKnownCategory({ series, current }: World, id: string): boolean {
  return (
    current.rankings.some(({ category }) => category === id) ||
    [...series.rankings.values()].some(({ key }) => key[1] === id)
  );
}

/** Current, or ever captured. */
export function isKnownModel({ series, current }: World, model: string): boolean {
  return series.models.has(keyText([model])) || current.models.some(({ id }) => id === model);
}

export function isKnownProvider({ series }: World, provider: string): boolean {
  return [...series.pricing.values()].some(({ key }) => key[1] === provider);
}

/** A captured record on one day. */
export interface CapturedPoint {
  readonly day: Day;
  readonly values: Values;
}

/** The points of every series whose key is wanted, within the range, in no order (specification "History points"). */
export function collectPoints(
  world: World,
  dataset: DatasetName,
  { from, to }: DayRange,
  isWanted: (key: readonly string[]) => boolean,
): CapturedPoint[] {
  return [...world.series[dataset].values()]
    .filter(({ key }) => isWanted(key))
    .flatMap(({ days, values }) => values.map((record, i) => ({ day: days[i] ?? '', values: record })))
    .filter(({ day }) => day >= from && day <= to);
}

/** How many models of a category have a point on each day. */
export function countPositions(world: World, category: string): ReadonlyMap<Day, number> {
  const positions = new Map<Day, number>();
  for (const { key, days } of world.series.rankings.values()) {
    if (key[1] !== category) continue;
    for (const day of days) positions.set(day, (positions.get(day) ?? 0) + 1);
  }
  return positions;
}

export function rankingPayload(values: Values, positions = 0): object {
  const { trueskill_mu = null, trueskill_sigma = null } = values;
  return { positions, trueskill_mu, trueskill_sigma };
}
