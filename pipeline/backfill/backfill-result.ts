import type { Day } from '../../runtime/day.ts';
import type { RunEnd, RunReport } from '../run/run.ts';
import type { NotPlaced } from './not-placed.ts';
import type { Placement } from './place.ts';

/**
 * What became of a backfill: `published`, `dry_run` where it would have been, `unchanged` where exactly these intervals are in
 * force, `nothing_placed` where not one row of the table has a place and everything stays as it was.
 */
export type BackfillStatus = 'published' | 'dry_run' | 'unchanged' | 'nothing_placed';

/** The field names are the contract of `backfill pricing --json`. */
export interface BackfillOutcome extends Placement {
  readonly status: BackfillStatus;
  /** The backfill that is in force now; null where there is none. */
  readonly run: string | null;
  /** The backfill that this one replaces; its object stays until it is pruned. */
  readonly replaced: string | null;
  /** Rows of the table. */
  readonly rows: number;
  /** Rows without a place, by reason. */
  readonly not_placed: NotPlaced;
  readonly from: Day | null;
  /** The first captured pricing day, before which every interval ends. */
  readonly first_captured: Day;
  readonly dry_run: boolean;
}

export interface BackfillResult extends BackfillOutcome {
  readonly warnings: readonly string[];
  /** The file that lists every row without a place, with its line and the reason. */
  readonly issues: string;
}

/** The report of a backfill; its list of issues it has written itself. */
export function backfillReport(table: string, { result }: RunEnd<BackfillResult>): RunReport {
  const told = { command: 'backfill pricing', table };
  if (result === undefined) return { status: 'failed', facts: told };
  const { status, run, warnings: _, ...outcome } = result;
  return { status, facts: { ...told, in_force: run, ...outcome } };
}
