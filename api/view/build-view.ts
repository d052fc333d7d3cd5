import { rm } from 'node:fs/promises';
import { version as duckdbVersion } from '@duckdb/node-api';
import { type Catalog, CatalogSchema } from '../../schemas/catalog.ts';
import { DATASET_NAMES } from '../../schemas/datasets.ts';
import { AppError } from '../../schemas/errors.ts';
import type { Manifest } from '../../schemas/manifest.ts';
import type { RecordVersion } from '../../schemas/record-version.ts';
import { manifestsOf, type Release } from '../../schemas/release.ts';
import { retainedFrom } from '../../schemas/retention.ts';
import { getVersion, RECORD_VERSIONS } from '../../schemas/versions.ts';
import { Database, type DuckDBSettings, sqlText } from '../../storage/duckdb.ts';
import { type FetchDeps, type FetchedParts, fetchParts } from './fetch-parts.ts';
import { groupByDay } from './snapshots-by-day.ts';
import { createTables } from './view-tables.ts';

/**
 * Raised whenever the tables, or the answers made of them, change: a view of another format is rebuilt, never extended, and
 * entity tags differ.
 */
export const VIEW_FORMAT = 2;

/** What a view says about itself, stored in it. */
export interface ViewMeta {
  readonly format: number;
  /** DuckDB's version: another one may hash, and so order, otherwise. */
  readonly engine: string;
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

/** A view that was built, and how. */
export interface BuiltView extends ViewFile {
  /** True where it was extended from the previous one. */
  readonly isExtended: boolean;
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
 * the releases since, and the newest state. Where the previous one turns out to be damaged, all is built anew. Rejects with
 * `corrupt`, `not_found` or `store_unavailable` where the store doesn't hold what the catalog promises; no file is left then.
 */
export async function buildView(input: BuildInput, deps: BuildDeps): Promise<BuiltView> {
  const { previous, catalog } = input;
  const base = previous !== undefined && canExtend(previous.meta, catalog) ? previous : undefined;
  try {
    return await buildFrom(base, input, deps);
  } catch (error) {
    if (!(error instanceof NotExtended)) throw error;
    return await buildFrom(undefined, input, deps);
  }
}

/** The store's part was fine, but it didn't come together with the previous view. */
class NotExtended extends Error {}

async function buildFrom(base: ViewFile | undefined, input: BuildInput, deps: BuildDeps): Promise<BuiltView> {
  const { catalog, path, scratch } = input;
  try {
    const have = new Set(base?.meta.catalog.releases.map(({ day }) => day));
    const entries = catalog.releases.filter(({ day }) => !have.has(day));
    const parts = await fetchParts({ catalog, entries, folder: scratch }, deps);
    const meta = metaOf(catalog, parts, base);
    await writeView({ base, parts, meta, path, scratch }, deps);
    return { path, meta, isExtended: base !== undefined };
  } catch (error) {
    for (const file of [path, `${path}.wal`]) await rm(file, { force: true });
    throw error;
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

function metaOf(catalog: Catalog, parts: FetchedParts, base: ViewFile | undefined): ViewMeta {
  const listed = groupByDay(base?.meta.manifests ?? []);
  const manifests = catalog.releases
    .filter((entry) => entry.parts.includes('snapshot'))
    .flatMap(({ day }) => {
      const release = parts.releases.get(day);
      return release === undefined ? (listed.get(day) ?? []) : manifestsOf(release);
    });
  return { format: VIEW_FORMAT, engine: duckdbVersion(), catalog, manifests };
}

interface WriteInput {
  readonly base: ViewFile | undefined;
  readonly parts: FetchedParts;
  readonly meta: ViewMeta;
  readonly path: string;
  readonly scratch: string;
}

async function writeView({ base, parts, meta, path, scratch }: WriteInput, deps: BuildDeps): Promise<void> {
  const { catalog } = meta;
  const database = await Database.open(':memory:', { ...deps.duckdb, tempFolder: `${scratch}/duckdb` });
  try {
    await database.run(`ATTACH ${sqlText(path)} AS view (ROW_GROUP_SIZE ${ROW_GROUP_SIZE})`);
    if (base !== undefined) await database.run(`ATTACH ${sqlText(base.path)} AS prev (READ_ONLY)`);
    await createTables(database, {
      parts,
      hasPrevious: base !== undefined,
      firstSeq: firstRetainedSeq(catalog),
      version: getVersion(deps.versions ?? RECORD_VERSIONS, parts.newest.schema_version),
      rankingDays: catalog.releases.filter(({ captured }) => captured.includes('rankings')).map(({ day }) => day),
    });
    await assertComplete(database, catalog, parts.newest);
    await database.run('CREATE TABLE view.meta AS SELECT $1 AS meta', [JSON.stringify(meta)]);
    await database.run('CHECKPOINT view');
    await database.run('DETACH view');
    if (base !== undefined) await database.run('DETACH prev');
    // Only a wish: where DuckDB can't free as much, closing takes longer.
    await database.run(`SET memory_limit = '${MEMORY_AT_CLOSE}'`).catch(() => 0);
  } catch (cause) {
    throw base === undefined ? cause : new NotExtended('the previous view could not be extended', { cause });
  } finally {
    database.close();
  }
}

/** What stays in DuckDB's memory before it is closed: closing gives it back on the event loop, a tenth of a second for a GB. */
const MEMORY_AT_CLOSE = '16MB';

/** Rows that DuckDB reads at least to find one. Smaller: more to keep in mind per table; larger: each request reads more. */
const ROW_GROUP_SIZE = 8192;

/** True where the catalog only adds to what the view has: the same releases, and no event that was pruned before. */
function canExtend({ catalog: old, manifests }: ViewMeta, catalog: Catalog): boolean {
  if (firstRetainedSeq(old) > firstRetainedSeq(catalog)) return false;
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
async function assertComplete(database: Database, catalog: Catalog, newest: Release) {
  const counts = DATASET_NAMES.map((name) => `(SELECT count(*) FROM view.${name})::INTEGER AS ${name}`).join(', ');
  const found = await database.row(
    `SELECT ${counts}, (SELECT count(*) FROM view.changes)::DOUBLE AS changes,
     (SELECT max(seq) - min(seq) + 1 FROM view.changes)::DOUBLE AS span`,
  );
  for (const name of DATASET_NAMES) {
    if (found[name] !== newest.records[name]) throw incomplete(`${found[name]} ${name}`, newest.records[name]);
  }
  const expected = newest.last_seq - firstRetainedSeq(catalog) + 1;
  if (found['changes'] !== expected) throw incomplete(`${found['changes']} events`, expected);
  if (expected > 0 && found['span'] !== expected) throw incomplete('events without a gap', expected);
}

function incomplete(found: string, expected: unknown): AppError {
  return new AppError('corrupt', `the releases together hold ${found}, but ${expected} are recorded`);
}

/** Reads what a view says about itself; undefined where it is of another format or engine. */
export function metaFromJson(text: string): ViewMeta | undefined {
  const parsed: unknown = JSON.parse(text);
  if (parsed === null || typeof parsed !== 'object' || !('format' in parsed) || parsed.format !== VIEW_FORMAT) return;
  const meta = parsed as ViewMeta; // Written by this very format of this program.
  if (meta.engine !== duckdbVersion()) return;
  return { ...meta, catalog: CatalogSchema.parse(meta.catalog) };
}
