import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { type Day, dayFromDate } from '../../runtime/day.ts';
import type { Release } from '../../schemas/release.ts';
import { type RestrictedSource, restrictedSources, termsOf } from '../../schemas/terms.ts';
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
  /** Captured days with exactly this price. */
  days: number,
};
/** A price that is held back (specification "Suspect prices"). */
export type PendingSuspect = RowOf<typeof SUSPECT>;

export interface MissingFile {
  readonly upstream: string;
  readonly file: string;
  readonly url: string;
  /** The first of the consecutive days without it. */
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
  /** Upstreams with records in the newest snapshot whose terms don't allow redistribution. */
  readonly restricted: readonly RestrictedSource[];
  /** Null where no night is due in a year. */
  readonly expected_day: Day | null;
  readonly is_stale: boolean;
  /** Of nights with a report in this work folder. */
  readonly last_run: LastRun | null;
}

export interface StatusDeps {
  readonly duckdb: DuckDBLimits;
  /** Need not exist. */
  readonly workFolder: string;
  readonly expectedDay: Day | undefined;
  readonly clock: () => Date;
}

/**
 * Read-only and fast, without a run or report, so it works on any machine; the last night's outcome is known only where
 * it ran.
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
    restricted: newest === null ? [] : restrictedSources(termsOf(newest)),
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

/** From its report (specification "Run reports"). */
export interface LastRun {
  readonly day: Day;
  readonly status: string;
  readonly finished_at: string;
  readonly reasons: readonly string[];
  /** For a held night, if the source is right; for a rejected one, once it is fixed; else null. */
  readonly next_command: string | null;
  readonly report: string;
}

/** Reports of other commands have no source; older ones neither problems nor a command. */
const ReportSchema = z.looseObject({
  status: z.string(),
  day: z.string(),
  source: z.string(),
  finished_at: z.string(),
  error: z.string().nullable(),
  problems: z.array(z.string()).default([]),
  next_command: z.string().nullable().default(null),
});

/** Between two nights there are a few of `verify`, `mirror` and `prune`. */
const REPORTS_MAX = 100;

/** Ignores dry runs, and nights of future days from a wrong clock. */
async function findLastRun(workFolder: string, now: Date): Promise<LastRun | undefined> {
  const runs = join(workFolder, 'runs');
  const names = await readdir(runs).catch(() => []);
  const past = names.filter((name) => dayOf(name) <= dayFromDate(now));
  // Run ids grow with time; a day's folder may be of a later run than the next day's.
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
    return undefined; // Of another command, running, killed, or unreadable.
  }
}

function dayOf(name: string): string {
  return name.slice(0, name.indexOf('.'));
}

function runOf(name: string): string {
  return name.slice(name.indexOf('.') + 1);
}
