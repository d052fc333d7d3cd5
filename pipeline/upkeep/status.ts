import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { type Day, dayFromDate } from '../../runtime/day.ts';
import type { Release } from '../../schemas/release.ts';
import { loadCatalogToContinue, loadRelease, newestEntry } from '../../storage/catalog.ts';
import type { DuckDBLimits } from '../../storage/duckdb/database.ts';
import { nullable, number, type RowOf, text } from '../../storage/duckdb/row-shape.ts';
import { fetchReleaseFile } from '../../storage/fetch-object.ts';
import { RELEASE_PATHS } from '../../storage/keys.ts';
import type { ObjectStore } from '../../storage/object-store.ts';
import { withScratch } from '../run/run.ts';

const SUSPECT = {
  entity_id: text,
  input_per_million: nullable(number),
  output_per_million: nullable(number),
  rule: text,
  since: text,
  /** Captured days on which exactly this price has been seen. */
  days: number,
};
/** A price that is held back, and since when (specification "Suspect prices"). */
export type PendingSuspect = RowOf<typeof SUSPECT>;

/** A file that the newest night could not fetch. */
export interface MissingFile {
  readonly upstream: string;
  readonly file: string;
  readonly url: string;
  /** The first of the days in a row without it. */
  readonly since: Day;
  readonly problem: string | null;
}

export interface Status {
  readonly store: string;
  readonly snapshots: number;
  readonly first_day: Day | null;
  readonly newest: Release | null;
  readonly suspects: readonly PendingSuspect[];
  readonly missing_files: readonly MissingFile[];
  /** The newest day that should be published by now; null where no night is due in a year. */
  readonly expected_day: Day | null;
  /** Whether the newest snapshot, where there is one, is older than that. */
  readonly is_stale: boolean;
  /** The newest night whose report lies in this work folder, whatever became of it; null without one. */
  readonly last_run: LastRun | null;
}

export interface StatusDeps {
  readonly duckdb: DuckDBLimits;
  /** Where runs leave their reports; need not exist. */
  readonly workFolder: string;
  readonly expectedDay: Day | undefined;
  readonly clock: () => Date;
}

/**
 * What a store holds, and what waits for an operator. No run and no report: it only reads, takes a moment, and needs no work
 * folder, so that it can be asked from any machine and as often as one likes; how the last night went is known where it ran.
 */
export async function readStatus(store: ObjectStore, deps: StatusDeps): Promise<Status> {
  const { duckdb, workFolder, expectedDay, clock } = deps;
  const { catalog } = await loadCatalogToContinue(store);
  const entry = newestEntry(catalog);
  const newest = entry === undefined ? null : await loadRelease(store, entry);
  return {
    store: store.url,
    snapshots: catalog?.releases.length ?? 0,
    first_day: catalog?.releases[0]?.day ?? null,
    newest,
    suspects: newest === null || newest.suspects_pending === 0 ? [] : await readSuspects(store, newest, duckdb),
    missing_files: (newest?.fetched ?? []).flatMap(({ upstream, file, url, failed_since: since, problem }) =>
      since === null ? [] : [{ upstream, file, url, since, problem }],
    ),
    expected_day: expectedDay ?? null,
    is_stale: entry !== undefined && expectedDay !== undefined && entry.day < expectedDay,
    last_run: (await findLastRun(workFolder, clock())) ?? null,
  };
}

function readSuspects(store: ObjectStore, release: Release, duckdb: DuckDBLimits): Promise<readonly PendingSuspect[]> {
  return withScratch(duckdb, async ({ database, folder }) => {
    const path = join(folder, 'suspects.parquet');
    await fetchReleaseFile(store, release, RELEASE_PATHS.suspects, path);
    return database.rows(
      SUSPECT,
      `SELECT entity_id, input_per_million, output_per_million, rule, since, days FROM read_parquet($1) ORDER BY entity_id`,
      [path],
    );
  });
}

/** How the last night went, by its report (specification "Run reports"). */
export interface LastRun {
  readonly day: Day;
  readonly status: string;
  readonly finished_at: string;
  /** Why it published nothing. */
  readonly reasons: readonly string[];
  /** What to run where it was held, if the source is right, or rejected, once it was mended; else null. */
  readonly next_command: string | null;
  /** Folder of the report. */
  readonly report: string;
}

/** What is read of a report; those of other commands have no source, and older ones neither problems nor a command. */
const ReportSchema = z.looseObject({
  status: z.string(),
  day: z.string(),
  source: z.string(),
  finished_at: z.string(),
  error: z.string().nullable(),
  problems: z.array(z.string()).default([]),
  next_command: z.string().nullable().default(null),
});

/** Reports that are looked into: between two nights there are a few of `verify`, `mirror` and `prune`. */
const REPORTS_MAX = 100;

/**
 * The newest night that left a report in a work folder. Dry runs are none, and neither is one of a day to come: that one had a wrong clock,
 * and would be the newest until then.
 */
async function findLastRun(workFolder: string, now: Date): Promise<LastRun | undefined> {
  const runs = join(workFolder, 'runs');
  const names = await readdir(runs).catch(() => []);
  const past = names.filter((name) => dayOf(name) <= dayFromDate(now));
  // By the id of the run, which tells when it began: a day's folder may be of a later run than the next day's.
  const newest = past.sort((a, b) => (runOf(a) < runOf(b) ? 1 : -1)).slice(0, REPORTS_MAX);
  for (const name of newest) {
    const found = await readRun(join(runs, name));
    if (found !== undefined && found.status !== 'dry_run') return found;
  }
  return undefined;
}

async function readRun(folder: string): Promise<LastRun | undefined> {
  try {
    const report = ReportSchema.parse(JSON.parse(await readFile(join(folder, 'report.json'), 'utf8')));
    const { day, status, finished_at, problems, error, next_command } = report;
    const reasons = problems.length > 0 || error === null ? problems : [error];
    return { day, status, finished_at, reasons, next_command, report: folder };
  } catch {
    return undefined; // Of another command, still running, killed, or not readable.
  }
}

function dayOf(name: string): string {
  return name.slice(0, name.indexOf('.'));
}

function runOf(name: string): string {
  return name.slice(name.indexOf('.') + 1);
}
