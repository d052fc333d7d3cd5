import { rm } from 'node:fs/promises';
import { type Catalog, type CatalogEntry, CatalogSchema } from '../../schemas/catalog.ts';
import { DATASET_NAMES } from '../../schemas/datasets.ts';
import { AppError } from '../../schemas/errors.ts';
import type { Manifest } from '../../schemas/manifest.ts';
import type { RecordVersion } from '../../schemas/record-version.ts';
import { manifestsOf, type Release } from '../../schemas/release.ts';
import { retainedFrom } from '../../schemas/retention.ts';
import { snapshotFromId } from '../../schemas/snapshot-id.ts';
import { getVersion, RECORD_VERSIONS } from '../../schemas/versions.ts';
import { Database, type DuckDBSettings, sqlText } from '../../storage/duckdb.ts';
import { type FetchDeps, fetchParts } from './fetch-parts.ts';
import { createTables } from './view-tables.ts';

/** Raised whenever the tables change: a view of another format is rebuilt, never extended. */
export const VIEW_FORMAT = 2;

/** What a view says about itself, stored in it. */
export interface ViewMeta {
  readonly format: number;
  /** The catalog it was built from. */
  readonly catalog: Catalog;
  /** Of every snapshot that the catalog still has, oldest first, in every version of its day, the one in force first. */
  readonly manifests: readonly Manifest[];
}

/** A finished view on disk. */
export interface ViewFile {
  readonly path: string;
  readonly meta: ViewMeta;
}

export interface BuildInput {
  readonly catalog: Catalog;
  /** The view before, which is read but never changed; without one, or where it can't be extended, all is built anew. */
  readonly previous: ViewFile | undefined;
  /** Where the new view goes. */
  readonly path: string;
  /** An empty folder, removed in the end. */
  readonly scratch: string;
}

export interface BuildDeps extends FetchDeps {
  /** Default: those that this program knows. */
  readonly versions?: readonly RecordVersion[] | undefined;
  readonly duckdb: Omit<DuckDBSettings, 'tempFolder'>;
}

/**
 * Builds the view of a catalog beside the one in use (DESIGN §7): the previous view's closed intervals and events, those of
 * the releases since, and the newest state. Rejects with `corrupt`, `not_found` or `store_unavailable` where the store
 * doesn't hold what the catalog promises; no file is left then.
 */
export async function buildView(input: BuildInput, deps: BuildDeps): Promise<ViewFile> {
  try {
    return { path: input.path, meta: await build(input, deps) };
  } catch (error) {
    await rm(input.path, { force: true });
    throw error;
  } finally {
    await rm(input.scratch, { recursive: true, force: true });
  }
}

async function build({ catalog, previous, path, scratch }: BuildInput, deps: BuildDeps): Promise<ViewMeta> {
  const base = previous !== undefined && canExtend(previous.meta, catalog) ? previous : undefined;
  const have = new Set(base?.meta.catalog.releases.map(({ day }) => day));
  const listed = base?.meta.manifests ?? [];
  const entries = catalog.releases.filter(({ day }) => !have.has(day));
  const parts = await fetchParts({ catalog, entries, folder: scratch }, deps);
  const manifests = catalog.releases
    .filter((entry) => entry.parts.includes('snapshot'))
    .flatMap(({ day }) => {
      const release = parts.releases.get(day);
      return release === undefined
        ? listed.filter((manifest) => dayFromSnapshot(manifest) === day)
        : manifestsOf(release);
    });
  const meta: ViewMeta = { format: VIEW_FORMAT, catalog, manifests };
  const database = await Database.open(':memory:', { ...deps.duckdb, tempFolder: `${scratch}/duckdb` });
  try {
    await database.run(`ATTACH ${sqlText(path)} AS view (ROW_GROUP_SIZE ${ROW_GROUP_SIZE})`);
    if (base !== undefined) await database.run(`ATTACH ${sqlText(base.path)} AS prev (READ_ONLY)`);
    const rankingDays = catalog.releases.filter(({ captured }) => captured.includes('rankings')).map(({ day }) => day);
    await createTables(database, {
      parts,
      hasPrevious: base !== undefined,
      firstSeq: firstRetainedSeq(catalog),
      version: getVersion(deps.versions ?? RECORD_VERSIONS, newestOf(catalog).schema_version),
      rankingDays,
    });
    await assertComplete(database, catalog, parts.releases);
    await database.run('CREATE TABLE view.meta AS SELECT $1 AS meta', [JSON.stringify(meta)]);
    await database.run('CHECKPOINT view');
    await database.run('DETACH view');
    if (base !== undefined) await database.run('DETACH prev');
    // Only a wish: where DuckDB can't free as much, closing takes longer.
    await database.run(`SET memory_limit = '${MEMORY_AT_CLOSE}'`).catch(() => 0);
  } finally {
    database.close();
  }
  return meta;
}

/** What stays in DuckDB's memory before it is closed: closing gives it back on the event loop, a tenth of a second for a GB. */
const MEMORY_AT_CLOSE = '16MB';

function newestOf({ releases }: Catalog): CatalogEntry {
  const newest = releases.at(-1);
  if (newest === undefined) throw new AppError('unavailable', 'no release has been published yet');
  return newest;
}

/** Rows that DuckDB reads at least to find one. Smaller: more to keep in mind per table; larger: each request reads more. */
const ROW_GROUP_SIZE = 8192;

/** The day of a snapshot, whatever its version. */
export function dayFromSnapshot({ id }: Pick<Manifest, 'id'>): string {
  return snapshotFromId(id)?.day ?? id;
}

/** True where the catalog only adds to what the view has: the same releases, and no event that was pruned before. */
function canExtend({ format, catalog: old, manifests }: ViewMeta, catalog: Catalog): boolean {
  if (format !== VIEW_FORMAT || firstRetainedSeq(old) > firstRetainedSeq(catalog)) return false;
  const listed = new Set(manifests.map(({ id }) => id));
  const isSame = old.releases.every(
    ({ day, run }, i) => catalog.releases[i]?.day === day && catalog.releases[i].run === run,
  );
  const count = old.releases.length;
  return (
    isSame && catalog.releases.slice(0, count).every(({ day, parts }) => !parts.includes('snapshot') || listed.has(day))
  );
}

/** The first event that the feed still has, or the next to come where it has none. */
export function firstRetainedSeq(catalog: Catalog): number {
  const from = retainedFrom(catalog) ?? '';
  const first = catalog.releases.find(({ day, first_seq: seq }) => day >= from && seq !== null);
  return first?.first_seq ?? (catalog.releases.at(-1)?.last_seq ?? 0) + 1;
}

/** What the catalog and the newest release say about counts must hold, or the view would quietly lack something. */
async function assertComplete(database: Database, catalog: Catalog, releases: ReadonlyMap<string, Release>) {
  const newest = releases.get(catalog.releases.at(-1)?.day ?? '');
  const counts = DATASET_NAMES.map((name) => `(SELECT count(*) FROM view.${name})::INTEGER AS ${name}`).join(', ');
  const found = await database.row(
    `SELECT ${counts}, (SELECT count(*) FROM view.changes)::DOUBLE AS changes,
     (SELECT max(seq) - min(seq) + 1 FROM view.changes)::DOUBLE AS span`,
  );
  for (const name of DATASET_NAMES) {
    if (found[name] !== newest?.records[name]) throw incomplete(`${found[name]} ${name}`, newest?.records[name]);
  }
  const expected = (newest?.last_seq ?? 0) - firstRetainedSeq(catalog) + 1;
  if (found['changes'] !== expected) throw incomplete(`${found['changes']} events`, expected);
  if (expected > 0 && found['span'] !== expected) throw incomplete('events without a gap', expected);
}

function incomplete(found: string, expected: unknown): AppError {
  return new AppError('corrupt', `the releases together hold ${found}, but ${expected} are recorded`);
}

/** Reads what a view says about itself; undefined where it is of another format. */
export function metaFromJson(text: string): ViewMeta | undefined {
  const parsed: unknown = JSON.parse(text);
  if (parsed === null || typeof parsed !== 'object' || !('format' in parsed) || parsed.format !== VIEW_FORMAT) return;
  const meta = parsed as ViewMeta; // Written by this very format of this program.
  return { ...meta, catalog: CatalogSchema.parse(meta.catalog) };
}
