import type { Day } from '../schemas/day.ts';
import type { Manifest } from '../schemas/manifest.ts';
import { HISTORY_MONTHS_FULL } from '../schemas/plans.ts';
import { visibleSnapshots as visibleDays } from '../schemas/visible-snapshots.ts';
import type { Rights } from './rights.ts';
import { dayFromSnapshot } from './view/build-view.ts';

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
  const days = [...new Set(manifests.map(dayFromSnapshot))];
  const terms = snapshots && { snapshots, historyMonths: historyMonths ?? HISTORY_MONTHS_FULL };
  const newestFirst = terms === null ? days.toReversed() : visibleDays(days, terms, today);
  const byDay = new Map<Day, Manifest[]>(days.map((day) => [day, []]));
  for (const manifest of manifests) byDay.get(dayFromSnapshot(manifest))?.push(manifest);
  return newestFirst.flatMap((day) => byDay.get(day) ?? []);
}
