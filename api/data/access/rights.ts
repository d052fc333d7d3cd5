import { HISTORY_MONTHS_FULL, type SnapshotAccess } from '../../accounts/plans/plans.ts';

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
