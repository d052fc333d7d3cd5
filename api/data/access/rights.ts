import type { Day } from '../../../runtime/day.ts';
import type { Manifest } from '../../../schemas/manifest.ts';
import { HISTORY_MONTHS_FULL, planWindowStart, type SnapshotAccess } from '../../accounts/plans/plans.ts';
import { groupByDay } from '../../view/view-meta.ts';

/** What a caller may see, as the data routes need it (specification "Plans"; "Plan window"). */
export interface Rights {
  /** The plan's code; null where nobody is asked for a key, or plans are not told of. */
  readonly plan: string | null;
  /** Calendar months of history before today; {@link HISTORY_MONTHS_FULL}: all of it. */
  readonly historyMonths: number;
  /** Which of the stored snapshots are listed; null: all. */
  readonly snapshots: SnapshotAccess | null;
}

/** Rights without a limit: the service without accounts. */
export const ALL_RIGHTS: Rights = { plan: null, historyMonths: HISTORY_MONTHS_FULL, snapshots: null };

/**
 * The same text for the same rights, and another for others. Made for every request, so it is put together rather than printed
 * as JSON, which takes five times as long.
 */
export function rightsTag({ plan, historyMonths, snapshots }: Rights): string {
  const seen = snapshots === null ? 'all' : `${snapshots.newest}${snapshots.monthEnds ? ' and month-ends' : ''}`;
  return `${plan} ${historyMonths} ${seen}`;
}

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
