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
  /** Called when a stage begins. */
  readonly onStage: (stage: Stage) => void;
}

export interface WorkDeps {
  readonly store: ObjectStore;
  readonly database: Database;
  /** For temporary files. */
  readonly scratch: string;
}

export type RunEnd<T> = { readonly finishedAt: Date } & (
  | { readonly result: T; readonly error?: undefined }
  | { readonly result?: undefined; readonly error: unknown }
);

/** {@link Run.finish} adds the rest. */
export interface RunReport {
  readonly status: string;
  /** Ended the work early; by default its rejection. */
  readonly error?: unknown;
  /** Further fields of `report.json`. */
  readonly facts: object;
  /** Undefined where the run writes `issues.jsonl` itself. */
  readonly issues?: readonly object[] | undefined;
}

/**
 * One run of a command on the store: a folder `<work>/runs/<day>.<run>/`, at most one DuckDB database, warnings, and
 * stage durations. {@link Run.finish} always closes the database, removes temporary files and writes the report.
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

  /** Rejects with `store_unavailable` where the folder can't be written. */
  static async open<S extends string>(
    { day, startedAt }: { readonly day: Day; readonly startedAt: Date },
    deps: RunDeps<S>,
  ): Promise<Run<S>> {
    const id = deps.newRunId();
    return new Run(id, startedAt, await openRunFolder(deps.workFolder, { day, run: id }), deps);
  }

  /** Finished stages, in order. */
  get stages(): readonly { readonly stage: Stage; readonly ms: number }[] {
    return [...this.#stages];
  }

  get warnings(): readonly string[] {
    return [...this.#warnings];
  }

  warn(warnings: readonly string[]): void {
    this.#warnings.push(...warnings);
  }

  get issuesPath(): string {
    return join(this.folder.path, 'issues.jsonl');
  }

  /** In memory; {@link finish} closes it. */
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

  /** Disk errors become `store_unavailable`. */
  errorFrom(error: unknown): unknown {
    return workErrorFrom(error, this.#deps.workFolder);
  }

  /** Does the remaining work; resolves or rejects as that does. A report that can't be written becomes a warning. */
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

  /** Frees the disk first; resolves to problems. */
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

/** For upkeep commands. */
export type UpkeepDeps = Omit<RunDeps<string>, 'onStage'>;

export interface UpkeepEnd {
  readonly warnings: readonly string[];
  /** Folder with the run's report.json. */
  readonly report: string;
}

export interface UpkeepCommand<T> {
  /** As typed. */
  readonly command: string;
  /** Facts that the report has in any case. */
  readonly request: object;
  /** The rest of a successful run's report. */
  readonly summarize: (result: T) => Pick<RunReport, 'status' | 'issues'> & { readonly facts: object };
}

/**
 * Runs a command's work with a report (specification "Run reports"). After a kill, the next command removes temporary
 * files.
 */
export async function runUpkeep<T extends object>(
  { command, request, summarize }: UpkeepCommand<T>,
  deps: UpkeepDeps,
  work: (run: Run) => Promise<T>,
): Promise<T & UpkeepEnd> {
  const startedAt = deps.clock();
  const run = await Run.open({ day: dayFromDate(startedAt), startedAt }, { ...deps, onStage: () => {} });
  return run.finish(
    async () => ({ ...(await work(run)), warnings: run.warnings, report: run.folder.path }),
    ({ result }) => {
      if (result === undefined) return { status: 'failed', facts: { command, ...request } };
      const { status, facts, issues } = summarize(result);
      return { status, facts: { command, ...request, ...facts }, issues };
    },
  );
}

interface Scratch {
  readonly folder: string;
  /** In memory; spills into the folder. */
  readonly database: Database;
}

/**
 * For read-only work without a work folder: a temporary folder with a database. Work that changes or verifies a store
 * uses a `Run`, which leaves a report.
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
