import { dayFromDate } from '../../runtime/day.ts';
import { Run, type RunDeps, type RunReport } from '../run/run.ts';

/** What every command that looks after a store works with. */
export type UpkeepDeps = Omit<RunDeps<string>, 'onStage'>;

/** What the answer of each such command ends with. */
export interface UpkeepEnd {
  readonly warnings: readonly string[];
  /** Folder with the run's report.json. */
  readonly report: string;
}

export interface UpkeepCommand<T> {
  /** As it is typed, for the report. */
  readonly command: string;
  /** Facts of the report that hold whatever becomes of the run. */
  readonly request: object;
  /** The rest of the report, of a run that did its work. */
  readonly tell: (result: T) => Pick<RunReport, 'status' | 'issues'> & { readonly facts: object };
}

/**
 * Does the work of a command in a run of its own (specification "Run reports"): temporary files lie in the run's folder, which
 * outlives a kill only until the next command tidies up, and the report stays, also of a run that failed.
 */
export async function runUpkeep<T extends object>(
  { command, request, tell }: UpkeepCommand<T>,
  deps: UpkeepDeps,
  work: (run: Run) => Promise<T>,
): Promise<T & UpkeepEnd> {
  const startedAt = deps.clock();
  const run = await Run.open({ day: dayFromDate(startedAt), startedAt }, { ...deps, onStage: () => {} });
  return run.finish(
    async () => ({ ...(await work(run)), warnings: run.warnings, report: run.folder.path }),
    ({ result }) => {
      if (result === undefined) return { status: 'failed', facts: { command, ...request } };
      const { status, facts, issues } = tell(result);
      return { status, facts: { command, ...request, ...facts }, issues };
    },
  );
}
