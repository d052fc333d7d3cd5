/**
 * A source that lists what to fetch: its days lie in an archive, where a night captures them like those of any other source
 * (specification "Fetching"; decision 0072).
 */
import { lstat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type Day, dayFromDate } from '../../../runtime/day.ts';
import { AppError } from '../../../runtime/errors.ts';
import type { DuckDBLimits } from '../../../storage/duckdb/database.ts';
import { readFetchRecord } from '../../fetch/day/fetch-record.ts';
import type { FetchedDay, FetchRequest } from '../../fetch/fetch-source.ts';
import type { FetchSetup } from '../../fetch/run-fetch.ts';
import { DAY_FILES } from '../../source/fetch-list/fetch-paths.ts';
import { assertFile } from '../../source/source-paths.ts';
import { loadSettings, type SourceSettings } from '../../source/source-settings.ts';
import { listSourceDays } from './day-folders.ts';
import { findAliases } from './source-day.ts';

/** Where the nights of a work folder keep what they fetch. */
export function archiveFolder(workFolder: string): string {
  return resolve(workFolder, 'fetched');
}

/** The settings of a source that lists what to fetch, its table of names checked; undefined for any other source. */
export async function loadFetchSettings(root: string): Promise<SourceSettings | undefined> {
  const path = resolve(root, DAY_FILES.settings);
  if ((await lstat(path).catch(() => undefined)) === undefined) return undefined;
  await assertFile(resolve(root), path);
  const settings = await loadSettings(path);
  if (settings.fetch.length === 0) return undefined;
  // Nothing is asked for where the night would be rejected.
  const isFetched = settings.fetch.some(({ file }) => file === settings.aliases);
  if (!isFetched) await findAliases(root, [root], settings);
  return settings;
}

/** Where a day is captured from, and what has to be fetched before. */
export interface DayPlace {
  readonly root: string;
  /** Of the source, where the day is to be fetched into `root`. */
  readonly toFetch: SourceSettings | undefined;
  /** Whether the source itself has a folder of this day. */
  readonly isDated: boolean;
}

/** A day that lies in the source is captured there, whatever the source could fetch. */
export async function placeOfDay(
  source: string,
  { day, workFolder }: { readonly day: Day; readonly workFolder: string },
): Promise<DayPlace> {
  const isDated = (await listSourceDays(source)).includes(day);
  const toFetch = isDated ? undefined : await loadFetchSettings(source);
  return { root: toFetch === undefined ? source : archiveFolder(workFolder), toFetch, isDated };
}

export interface FetchForNightDeps {
  readonly fetching: FetchSetup;
  readonly clock: () => Date;
  readonly duckdb: DuckDBLimits;
}

/**
 * Fetches the day of a night into the archive. A day that is over can't be fetched any more: undefined, where the archive has it.
 * Rejects with `source_rejected` where it hasn't.
 */
export async function fetchForNight(
  { settings, into, day, ...request }: FetchRequest & { readonly settings: SourceSettings },
  { fetching, clock, duckdb }: FetchForNightDeps,
): Promise<FetchedDay | undefined> {
  if (day === dayFromDate(clock())) {
    // Loaded here: most nights fetch nothing, and the HTTP client takes longer to load than many a night takes.
    const { runFetch } = await import('../../fetch/run-fetch.ts');
    return runFetch({ ...request, settings, into, day }, fetching, { clock, duckdb });
  }
  const { finished_at = null } = (await readFetchRecord(join(into, day))) ?? {};
  if (finished_at !== null) return undefined;
  throw new AppError(
    'source_rejected',
    `${day} is over: what its upstreams served can't be fetched any more, and ${into} holds no whole fetch of it`,
  );
}
