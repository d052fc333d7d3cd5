import { planWindowStart } from '../../accounts/plans/periods.ts';
import { HISTORY_MONTHS_FULL, type SnapshotAccess } from '../../accounts/plans/plans.ts';
import type { Day } from '../../schemas/day.ts';

/** What a caller may see, as the data routes need it (specification "Plans"; "Plan window"). */
export interface Rights {
  /** The plan's code; null where nobody is asked for a key. */
  readonly plan: string | null;
  /** Calendar months of history before today; {@link HISTORY_MONTHS_FULL}: all of it. */
  readonly historyMonths: number;
  /** Which of the stored snapshots are listed; null: all. */
  readonly snapshots: SnapshotAccess | null;
}

/** Rights without a limit: the service without accounts. */
export const ALL_RIGHTS: Rights = { plan: null, historyMonths: HISTORY_MONTHS_FULL, snapshots: null };

/** The oldest day whose history may be queried; null: no limit (specification "Plan window"). */
export function planLimitFrom({ historyMonths }: Rights, today: Day): Day | null {
  return planWindowStart(historyMonths, today);
}
