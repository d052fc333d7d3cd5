import type { Day } from '../../../runtime/day.ts';
import type { Manifest } from '../../../schemas/manifest.ts';
import { planWindowStart, type SnapshotAccess } from '../../accounts/plans/plans.ts';
import { groupByDay } from '../../view/view-meta.ts';
import type { Rights } from './rights.ts';

/**
 * Of the stored snapshots those that a caller may see, newest day first, each in every version it was written in, the one in
 * force first (specification "Plans"; decision 0022).
 *
 * @param manifests oldest day first, the version in force first
 */
export function visibleSnapshots(manifests: readonly Manifest[], rights: Rights, today: Day): readonly Manifest[] {
  const { snapshots } = rights;
  const byDay = groupByDay(manifests);
  const days = [...byDay.keys()];
  const visible =
    snapshots === null ? days : visibleDays(days, snapshots, planWindowStart(rights.historyMonths, today));
  return visible.toReversed().flatMap((day) => byDay.get(day) ?? []);
}

/**
 * The newest so many days, and the last one of every month from the start of the history window on; null is no start.
 *
 * @param days ascending
 */
function visibleDays(
  days: readonly Day[],
  { newest, monthEnds }: SnapshotAccess,
  windowStart: Day | null,
): readonly Day[] {
  const lastOfMonth = new Map(days.map((day) => [day.slice(0, 'YYYY-MM'.length), day]));
  const ends = monthEnds ? [...lastOfMonth.values()].filter((day) => day >= (windowStart ?? '')) : [];
  const visible = new Set([...(newest === 0 ? [] : days.slice(-newest)), ...ends]);
  return days.filter((day) => visible.has(day));
}
