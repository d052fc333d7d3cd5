import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Day, dayFromDate } from '../../runtime/day.ts';
import { messageFromError } from '../../runtime/errors.ts';
import { Database, type DuckDBLimits } from '../../storage/duckdb/database.ts';
import type { ObjectStore } from '../../storage/object-store.ts';
import { openRunFolder, type RunFolder, workErrorFrom } from './work-folder.ts';

export interface RunDeps<Stage extends string> {
  readonly workFolder: string;
  readonly clock: () => Date;
  /** A new unique run id of letters and digits. */
  readonly newRunId: () => string;
  /** Called as each stage begins. */
  readonly onStage: (stage: Stage) => void;
}

/** What work on a store's files needs. */
export interface WorkDeps {
  readonly store: ObjectStore;
  readonly database: Database;
  /** Folder for files on their way. */
  readonly scratch: string;
}

/** How a run ended: with its result, or with the error that its caller gets. */
export type RunEnd<T> = { readonly finishedAt: Date } & (
  | { readonly result: T; readonly error?: undefined }
  | { readonly result?: undefined; readonly error: unknown }
);

/** What a run of its kind leaves for people, whatever became of it; what all runs tell alike is added by {@link Run.finish}. */
export interface RunReport {
  readonly status: string;
  /** What ended the run's work early; default: what it rejected with. */
  readonly error?: unknown;
  /** Further fields of `report.json`. */
  readonly facts: object;
  /** For `issues.jsonl`, one a line; undefined where the run has written the file itself. */
  readonly issues?: readonly object[] | undefined;
}

/**
 * One attempt at a command that works on the store, such as a night, a backfill or `verify`. It has a folder of its own, `<work>/runs/<day>.<run>/`, and at most one DuckDB
 * database that spills there; it collects warnings and the time that each stage took. {@link Run.finish} ends it in the
 * same way whatever became of it: the database is closed, temporary files go, the report stays.
 */
export class Run<Stage extends string = string> {
  readonly id: string;
  readonly startedAt: Date;
  readonly folder: RunFolder;
  readonly #deps: RunDeps<Stage>;
  readonly #stages: { readonly stage: Stage; readonly ms: number }[] = [];
  readonly #warnings: string[] = [];
  #database: Database | undefined;

  private constructor(id: string, startedAt: Date, folder: RunFolder, deps: RunDeps<Stage>) {
    this.id = id;
    this.startedAt = startedAt;
    this.folder = folder;
    this.#deps = deps;
  }

  /** Makes the folder of a run. Rejects with `store_unavailable` where it can't be written. */
  static async open<S extends string>(
    { day, startedAt }: { readonly day: Day; readonly startedAt: Date },
    deps: RunDeps<S>,
  ): Promise<Run<S>> {
    const id = deps.newRunId();
    return new Run(id, startedAt, await openRunFolder(deps.workFolder, { day, run: id }), deps);
  }

  /** The stages that have ended, well or not, in order, with how long each took in milliseconds. */
  get stages(): readonly { readonly stage: Stage; readonly ms: number }[] {
    return [...this.#stages];
  }

  /** What an operator should know and need not act on, so far. */
  get warnings(): readonly string[] {
    return [...this.#warnings];
  }

  warn(warnings: readonly string[]): void {
    this.#warnings.push(...warnings);
  }

  /** The path of `issues.jsonl`. */
  get issuesPath(): string {
    return join(this.folder.path, 'issues.jsonl');
  }

  /** Opens the run's database, in memory; {@link finish} closes it. */
  async openDatabase(duckdb: DuckDBLimits): Promise<Database> {
    this.#database = await Database.open(':memory:', { ...duckdb, tempFolder: this.folder.scratch });
    return this.#database;
  }

  async stage<T>(stage: Stage, work: () => Promise<T>): Promise<T> {
    this.#deps.onStage(stage);
    const started = performance.now();
    try {
      return await work();
    } finally {
      this.#stages.push({ stage, ms: Math.round(performance.now() - started) });
    }
  }

  /** The error to report for whatever was thrown: a disk that failed is told as `store_unavailable`. */
  errorFrom(error: unknown): unknown {
    return workErrorFrom(error, this.#deps.workFolder);
  }

  /**
   * Does the rest of the run's work, ends the run and reports it; then resolves or rejects as that work did. A report that
   * can't be written changes nothing about what was done: it becomes a warning of the result.
   */
  async finish<T extends { readonly warnings: readonly string[] }>(
    work: () => Promise<T>,
    reportOf: (end: RunEnd<T>) => RunReport,
  ): Promise<T> {
    const ended = await work().then(
      (result) => ({ result }),
      (error: unknown) => ({ error: this.errorFrom(error) }),
    );
    const end: RunEnd<T> = { ...ended, finishedAt: this.#deps.clock() };
    const problems = await this.#close(end, () => reportOf(end));
    if (!('result' in ended)) throw ended.error;
    return { ...ended.result, warnings: [...ended.result.warnings, ...problems] };
  }

  /** Frees the disk, then reports; resolves to what went wrong with that. */
  async #close(end: RunEnd<unknown>, makeReport: () => RunReport): Promise<readonly string[]> {
    try {
      this.#database?.close();
      await this.folder.removeTemporary();
      const { status, error = end.error, facts, issues } = makeReport();
      const report = {
        status,
        run: this.id,
        started_at: this.startedAt.toISOString(),
        finished_at: end.finishedAt.toISOString(),
        error: error === undefined ? null : messageFromError(error),
        ...facts,
        warnings: this.#warnings,
        stages: this.#stages,
      };
      await writeFile(join(this.folder.path, 'report.json'), `${JSON.stringify(report, null, 2)}\n`);
      if (issues !== undefined)
        await writeFile(
          this.issuesPath,
          issues.map((issue) => `${JSON.stringify(issue)}\n`),
        );
      return [];
    } catch (error) {
      return [`the run's report can't be written: ${messageFromError(error)}`];
    }
  }
}

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

/** Where work is done that leaves nothing behind. */
interface Scratch {
  readonly folder: string;
  /** In memory; it spills into the folder. */
  readonly database: Database;
}

/**
 * Does work in a temporary folder of its own, with a database; both are gone when it has ended. It is for what only reads and may run
 * where there is no work folder; whoever changes or proves a store does so in a `Run`, which leaves a report.
 */
export async function withScratch<T>(duckdb: DuckDBLimits, work: (scratch: Scratch) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'modelstats-'));
  try {
    const database = await Database.open(':memory:', { ...duckdb, tempFolder: join(folder, 'spill') });
    try {
      return await work({ folder, database });
    } finally {
      database.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
