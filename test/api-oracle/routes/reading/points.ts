/** History points (specification "History points"). */

import type { Day } from '../../../../runtime/day.ts';
import type { DatasetName } from '../../../../schemas/datasets.ts';
import type { Values } from '../../../night-oracle/row-rules.ts';
import type { World } from '../../world.ts';
import type { DayRange } from './range.ts';

/** A captured record on one day. */
export interface CapturedPoint {
  readonly day: Day;
  readonly values: Values;
}

/** The points of every series whose key is wanted, within the range, in no order. */
export function collectPoints(
  world: World,
  dataset: DatasetName,
  range: DayRange,
  isWanted: (key: readonly string[]) => boolean,
): CapturedPoint[] {
  const points: CapturedPoint[] = [];
  for (const { key, days, values } of world.series[dataset].values()) {
    if (!isWanted(key)) continue;
    for (const [i, day] of days.entries()) {
      const record = values[i];
      if (record !== undefined && day >= range.from && day <= range.to) points.push({ day, values: record });
    }
  }
  return points;
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

export function rankingPayload(values: Values, positions: number | undefined): object {
  return {
    positions: positions ?? 0,
    trueskill_mu: values['trueskill_mu'] ?? null,
    trueskill_sigma: values['trueskill_sigma'] ?? null,
  };
}
