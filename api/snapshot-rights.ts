import type { Day } from '../schemas/day.ts';
import type { Manifest } from '../schemas/manifest.ts';
import { visibleSnapshots as visibleDays } from '../schemas/visible-snapshots.ts';
import type { Rights } from './rights.ts';
import { groupByDay } from './view/snapshots-by-day.ts';

/**
 * The snapshots that a caller may see, newest day first, each in every version it was written in, the one in force first
 * (SPEC "Plan table", DECISIONS "Commercial default").
 *
 * @param manifests oldest day first, the version in force first
 */
export function visibleSnapshots(
  manifests: readonly Manifest[],
  { snapshots, historyMonths }: Rights,
  today: Day,
): readonly Manifest[] {
  const byDay = groupByDay(manifests);
  const days = [...byDay.keys()];
  const newestFirst = snapshots === null ? days.toReversed() : visibleDays(days, { snapshots, historyMonths }, today);
  return newestFirst.flatMap((day) => byDay.get(day) ?? []);
}
