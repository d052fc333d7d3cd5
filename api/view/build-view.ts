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

export interface ViewFile {
  readonly path: string;
  readonly meta: ViewMeta;
}

export interface BuiltView extends ViewFile {
  readonly isExtended: boolean;
}

export interface BuildInput {
  readonly catalog: Catalog;
  /** Read, never changed. Without one that can be extended, everything is rebuilt. */
  readonly previous: ViewFile | undefined;
  readonly path: string;
  /** An empty folder; removed afterwards. */
  readonly scratch: string;
}

export interface BuildDeps extends FetchDeps {
  /** Default: those that this program knows. */
  readonly versions?: readonly RecordVersion[] | undefined;
  /** Default: those that this program serves. */
  readonly histories?: Readonly<Record<HistoryKind, HistorySource>> | undefined;
  readonly duckdb: Omit<DuckDBSettings, 'tempFolder'>;
}

/**
 * Builds a view (specification "Following the catalog") from the previous view's closed intervals and events, those of later releases,
 * and the newest state; without the previous view if that is damaged. Rejects with `corrupt`, `not_found` or `store_unavailable` if
 * the store lacks something, and leaves no file.
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

/** The previous view could not be extended with sound files. */
class NotExtended extends Error {}

async function buildFrom(base: ViewFile | undefined, input: BuildInput, deps: BuildDeps): Promise<BuiltView> {
  const { catalog, path, scratch } = input;
  try {
    const existing = new Set(base?.meta.catalog.releases.map(({ day }) => day));
    const entries = catalog.releases.filter(({ day }) => !existing.has(day));
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
    // If DuckDB can't free as much, closing takes longer.
    await database.run(`SET memory_limit = '${MEMORY_AT_CLOSE}'`).catch(() => 0);
    return meta;
  } catch (cause) {
    throw base === undefined ? cause : new NotExtended('the previous view could not be extended', { cause });
  } finally {
    database.close();
  }
}

/** DuckDB's memory before closing, which frees it on the event loop: 0.1 s per GB. */
const MEMORY_AT_CLOSE = '16MB';

/**
 * A format that older DuckDB can read takes half as long again to write. Smaller row groups: more metadata per table; larger: each
 * request reads more.
 */
export const STORAGE = "ROW_GROUP_SIZE 8192, STORAGE_VERSION 'latest'";

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
  return new AppError('corrupt', `the releases hold ${found}, but ${expected} are recorded`);
}
