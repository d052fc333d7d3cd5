import { rm } from 'node:fs/promises';
import { AppError } from '../../runtime/errors.ts';
import type { Catalog } from '../../schemas/catalog.ts';
import { DATASET_NAMES, type DatasetName } from '../../schemas/datasets.ts';
import type { RecordVersion } from '../../schemas/record-version.ts';
import { getVersion, RECORD_VERSIONS } from '../../schemas/record-versions.ts';
import type { Release } from '../../schemas/release.ts';
import { Database, type DuckDBSettings, sqlText } from '../../storage/duckdb/database.ts';
import { nullable, number } from '../../storage/duckdb/row-shape.ts';
import { type FetchDeps, type FetchedParts, fetchParts } from './fetch-parts.ts';
import type { HistoryKind, HistorySource } from './tables/history-kinds.ts';
import { cutoversOf } from './tables/history-tables.ts';
import { createNews } from './tables/view-news.ts';
import { createTables, loadFacts } from './tables/view-tables.ts';
import { writeFeed, writeHistories } from './text/write-text.ts';
import { removeView } from './view-folder.ts';
import { canExtend, firstRetainedSeq, metaOf, type ViewFacts, type ViewMeta } from './view-meta.ts';

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
  /** Default: those that this program answers. */
  readonly histories?: Readonly<Record<HistoryKind, HistorySource>> | undefined;
  readonly duckdb: Omit<DuckDBSettings, 'tempFolder'>;
}

/**
 * Builds the view of a catalog beside the one in use (specification "Following the catalog"): the previous view's closed
 * intervals and events, those of the releases since, and the newest state. Where the previous one turns out to be damaged, all is
 * built anew. Rejects with `corrupt`, `not_found` or `store_unavailable` where the store doesn't hold what the catalog promises;
 * no file is left then.
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
    const known = metaOf(catalog, parts.releases, base?.meta);
    const meta = await writeView({ base, parts, meta: known, path, scratch }, deps);
    return { path, meta, isExtended: base !== undefined };
  } catch (error) {
    await removeView(path);
    throw error;
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

interface WriteInput {
  readonly base: ViewFile | undefined;
  readonly parts: FetchedParts;
  readonly meta: Omit<ViewMeta, keyof ViewFacts>;
  readonly path: string;
  readonly scratch: string;
}

/** Writes the file; resolves to what it says about itself. */
async function writeView({ base, parts, path, scratch, ...input }: WriteInput, deps: BuildDeps): Promise<ViewMeta> {
  const { catalog } = input.meta;
  const { versions = RECORD_VERSIONS, histories } = deps;
  const database = await Database.open(':memory:', { ...deps.duckdb, tempFolder: `${scratch}/duckdb` });
  try {
    await database.run(`ATTACH ${sqlText(path)} AS view (${STORAGE})`);
    if (base !== undefined) await database.run(`ATTACH ${sqlText(base.path)} AS prev (READ_ONLY)`);
    await createTables(database, {
      parts,
      hasPrevious: base !== undefined,
      version: getVersion(versions, parts.newest.schema_version),
      cutovers: cutoversOf(catalog, versions),
      histories,
      rankingDays: catalog.releases.filter(({ captured }) => captured.includes('rankings')).map(({ day }) => day),
    });
    await createNews(database, {
      catalog,
      releases: parts.releases,
      changes: parts.changes,
      firstSeq: firstRetainedSeq(catalog),
      previousDay: base?.meta.catalog.releases.at(-1)?.day,
    });
    const texts = {
      histories: await writeHistories(database, path),
      feed: await writeFeed(database, {
        changes: parts.changes,
        firstSeq: firstRetainedSeq(catalog),
        previous: base?.meta.texts.feed,
        viewPath: path,
        scratch,
      }),
    };
    await assertComplete(database, catalog, parts.newest);
    const meta = { ...input.meta, ...(await loadFacts(database)), texts };
    await database.run('CREATE TABLE view.meta AS SELECT $1 AS meta', [JSON.stringify(meta)]);
    await database.run('CHECKPOINT view');
    await database.run('DETACH view');
    if (base !== undefined) await database.run('DETACH prev');
    // Only a wish: where DuckDB can't free as much, closing takes longer.
    await database.run(`SET memory_limit = '${MEMORY_AT_CLOSE}'`).catch(() => 0);
    return meta;
  } catch (cause) {
    throw base === undefined ? cause : new NotExtended('the previous view could not be extended', { cause });
  } finally {
    database.close();
  }
}

/** What stays in DuckDB's memory before it is closed: closing gives it back on the event loop, a tenth of a second for a GB. */
const MEMORY_AT_CLOSE = '16MB';

/**
 * How DuckDB stores a view. No other version of it ever opens the file, so nothing has to be what older ones read, which takes half
 * as long again to write. Row groups are the rows that it reads at least to find one; smaller: more to keep in mind per table;
 * larger: each request reads more.
 */
export const STORAGE = "ROW_GROUP_SIZE 8192, STORAGE_VERSION 'latest'";

/** What the catalog and the newest release say about counts must hold, or the view would quietly lack something. */
async function assertComplete(database: Database, catalog: Catalog, newest: Release) {
  const counts = DATASET_NAMES.map((name) => `(SELECT count(*) FROM view.${name})::INTEGER AS ${name}`).join(', ');
  const found = await database.row(
    COUNTS,
    `SELECT ${counts}, (SELECT count(*) FROM view.changes)::DOUBLE AS changes,
     (SELECT max(seq) - min(seq) + 1 FROM view.changes)::DOUBLE AS span`,
  );
  for (const name of DATASET_NAMES) {
    if (found[name] !== newest.records[name]) throw incomplete(`${found[name]} ${name}`, newest.records[name]);
  }
  const expected = newest.last_seq - firstRetainedSeq(catalog) + 1;
  if (found.changes !== expected) throw incomplete(`${found.changes} events`, expected);
  if (expected > 0 && found.span !== expected) throw incomplete('events without a gap', expected);
}

const COUNTS = {
  models: number,
  benchmarks: number,
  scores: number,
  rankings: number,
  pricing: number,
  changes: number,
  span: nullable(number),
} satisfies Record<DatasetName | 'changes' | 'span', unknown>;

function incomplete(found: string, expected: unknown): AppError {
  return new AppError('corrupt', `the releases together hold ${found}, but ${expected} are recorded`);
}
