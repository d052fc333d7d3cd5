import { join } from 'node:path';
import { type Day, dayFromDate } from '../../runtime/day.ts';
import { AppError } from '../../runtime/errors.ts';
import type { Catalog } from '../../schemas/catalog.ts';
import type { FetchedFile } from '../../schemas/upstreams.ts';
import type { DuckDBLimits } from '../../storage/duckdb/database.ts';
import type { ObjectStore } from '../../storage/object-store.ts';
import { assertComplete, type FetchedDay, type FetchRequest } from '../fetch/fetch-source.ts';
import type { FetchSetup } from '../fetch/run-fetch.ts';
import type { Run } from '../run/run.ts';
import { readFetchRecord } from '../source/fetch-record.ts';
import { type DayPlace, openSource, placeOfDay } from '../source/open-source.ts';
import { type NightSource, StoredFetch } from './capture/missing-files.ts';

interface OpenInput {
  readonly request: { readonly day: Day; readonly source: string };
  readonly run: Pick<Run<'fetch'>, 'stage' | 'warn'>;
  readonly catalog: Catalog | undefined;
  /** Receives the fetched files. */
  readonly found: { fetched?: readonly FetchedFile[] | undefined };
}

interface OpenDeps {
  readonly store: ObjectStore;
  readonly workFolder: string;
  readonly clock: () => Date;
  readonly duckdb: DuckDBLimits;
  readonly fetching: FetchSetup;
}

/**
 * Opens a day's source, fetching its files first where it lists any. `isDated`: the source itself has a folder of this
 * day.
 */
export async function openDay(
  input: OpenInput,
  deps: OpenDeps,
): Promise<{ readonly source: NightSource; readonly isDated: boolean }> {
  const { request, catalog, found } = input;
  const stored = new StoredFetch(deps.store, catalog);
  const place = await placeOfDay(request.source, { day: request.day, workFolder: deps.workFolder });
  const fetched = await fetchInto(place, stored, { ...input, deps });
  found.fetched = fetched?.record.files;
  if (fetched !== undefined) assertComplete(fetched);
  const source = await openSource(place.root, request.day, place.toFetch?.off);
  found.fetched = source.fetched?.files;
  return { source: { ...source, absent: await stored.findAbsent(source.fetched) }, isDated: place.isDated };
}

/** Undefined where nothing had to be fetched. */
async function fetchInto(
  { root: into, toFetch: settings }: DayPlace,
  { files: stored }: StoredFetch,
  { request: { source: root, day }, run, deps }: OpenInput & { readonly deps: OpenDeps },
): Promise<FetchedDay | undefined> {
  if (settings === undefined) return undefined;
  const fetched = await run.stage('fetch', () => fetchToday({ root, settings, into, day, stored }, deps));
  run.warn(fetched?.warnings ?? []);
  return fetched;
}

/**
 * Undefined where the archive already has a past day. Rejects with `source_rejected` where it hasn't: past days can't
 * be fetched.
 */
async function fetchToday(request: FetchRequest, deps: OpenDeps): Promise<FetchedDay | undefined> {
  const { day, into } = request;
  if (day === dayFromDate(deps.clock())) {
    // Loaded on demand: most nights fetch nothing, and loading the HTTP client may take longer than the night.
    const { runFetch } = await import('../fetch/run-fetch.ts');
    return runFetch(request, deps.fetching, deps);
  }
  const { finished_at = null } = (await readFetchRecord(join(into, day))) ?? {};
  if (finished_at !== null) return undefined;
  throw new AppError(
    'source_rejected',
    `${day} is over: its files can no longer be fetched, and ${into} has no complete fetch of that day`,
  );
}
