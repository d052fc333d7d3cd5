/**
 * Composes a store and its view for the history benchmark; run as a process of its own, so that DuckDB's memory is not the
 * bench's: `tsx bench/api/history-view.ts FOLDER SERIES DAYS`. The view is written by the project's own function from
 * Parquet files as releases have them; only the nights that would have published them are left out.
 */

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ulid } from 'ulid';
import { ViewFolder } from '../../api/view/follow/view-folder.ts';
import { VIEW_FORMAT } from '../../api/view/view-meta.ts';
import type { ViewParts } from '../../api/view/write/view-parts.ts';
import { writeView } from '../../api/view/write/write-view.ts';
import { addDays } from '../../runtime/day.ts';
import type { Catalog } from '../../schemas/catalog.ts';
import { DATASET_NAMES, DATASETS, type DatasetName, mapDatasets } from '../../schemas/datasets.ts';
import { getVersion, RECORD_VERSIONS, SCHEMA_VERSION } from '../../schemas/record-versions.ts';
import type { Release } from '../../schemas/release.ts';
import { Database, recordsSql, sqlText } from '../../storage/duckdb/database.ts';
import { DUCKDB_TYPES, lineSql } from '../../storage/duckdb/record-sql.ts';
import { text } from '../../storage/duckdb/row-shape.ts';
import { FileStore } from '../../storage/file/file-store.ts';
import { sha256 } from '../../storage/hash.ts';
import { CATALOG_KEY } from '../../storage/keys.ts';
import { BENCHMARKS, FIRST_HISTORY_DAY, historyBenchmark, historyModel } from './history-names.ts';

interface HistoryToCompose {
  readonly folder: string;
  /** Series of scores, each with another value every day. */
  readonly series: number;
  readonly days: number;
}

async function composeHistory({ folder, series, days }: HistoryToCompose): Promise<void> {
  const [store, parts] = [join(folder, 'store'), join(folder, 'parts')];
  for (const path of [store, parts]) await mkdir(path, { recursive: true });
  const duckdb = { memoryLimit: '1GB', threads: 2, tempFolder: join(parts, 'tmp') };
  const catalog = catalogOf(days);
  const views = await ViewFolder.acquire(join(folder, 'view'));
  const view = await writeView({
    path: views.pathsFor(ulid()).path,
    base: undefined,
    isServing: false,
    parts: await composeParts(parts, { series, days, duckdb }),
    meta: { format: VIEW_FORMAT, catalog, manifests: [], ...EMPTY },
    versions: undefined,
    histories: undefined,
    duckdb,
  });
  await views.keepOnly(view, new FileStore(store).url);
  views.release();
  await writeFile(join(store, CATALOG_KEY), JSON.stringify(catalog));
}

type Files = Pick<ViewParts, 'state' | 'closed'>;

async function composeParts(
  folder: string,
  {
    duckdb,
    ...size
  }: Pick<HistoryToCompose, 'series' | 'days'> & { readonly duckdb: Parameters<typeof Database.open>[1] },
): Promise<ViewParts> {
  const database = await Database.open(':memory:', duckdb);
  try {
    const files = await writeFiles(database, folder, size);
    const newest = await releaseOf(database, files, addDays(FIRST_HISTORY_DAY, size.days - 1));
    return { ...files, changes: [], backfill: undefined, aliases: undefined, releases: new Map(), newest };
  } finally {
    database.close();
  }
}

/** Of the newest night, what a view is checked against: the hash of each dataset's lines. */
async function releaseOf(database: Database, { state }: Files, day: string): Promise<Release> {
  const { datasets } = getVersion(RECORD_VERSIONS, SCHEMA_VERSION);
  const hashes: object[] = [];
  for (const name of DATASET_NAMES) {
    const records = await recordsSql(database, DATASETS[name], state[name]);
    const lines = await database.rows(
      { line: text },
      `SELECT ${lineSql(datasets[name], 's')} AS line FROM (${records}) s ORDER BY ${DATASETS[name].key.join(', ')}`,
    );
    hashes.push({ name, content_sha256: sha256(lines.map(({ line }) => `${line}\n`).join('')) });
  }
  const release: unknown = { day, schema_version: SCHEMA_VERSION, last_seq: 0, manifest: { datasets: hashes } };
  return release as Release; // All of it that a view is written from.
}

/** What no request for a history looks at. */
const EMPTY = {
  contents: mapDatasets(() => []),
  rankingMethods: [],
  aliases: [],
  sources: { day: FIRST_HISTORY_DAY, value: '[]' },
};

/** A night a day, with nothing but scores. */
function catalogOf(days: number): Catalog {
  const releases = Array.from({ length: days }, (_, i) => {
    const day = addDays(FIRST_HISTORY_DAY, i);
    return {
      day,
      run: ulid(),
      release_sha256: '0'.repeat(64),
      schema_version: SCHEMA_VERSION,
      data_as_of: `${day}T23:59:59Z`,
      published_at: `${addDays(day, 1)}T00:10:00Z`,
      captured: [...DATASET_NAMES],
      first_seq: null,
      last_seq: 0,
      parts: [],
    };
  });
  return { format: 1, generation: days, releases };
}

/** Parquet files with the columns of a release's: the newest state, and the intervals that ended before it. */
async function writeFiles(
  database: Database,
  folder: string,
  { series, days }: Pick<HistoryToCompose, 'series' | 'days'>,
): Promise<Files> {
  const write = async (dataset: DatasetName, kind: string, select: string) => {
    const path = join(folder, `${kind}-${dataset}.parquet`);
    await database.run(`COPY (${select}) TO ${sqlText(path)} (FORMAT parquet)`);
    return path;
  };
  const rowsOf = (dataset: DatasetName, kind: 'state' | 'closed') => {
    if (dataset === 'scores') return scoresSql(series, kind === 'state' ? [days - 1, days] : [0, days - 1], kind);
    if (dataset === 'models') return modelsSql(Math.ceil(series / BENCHMARKS), kind);
    return emptySql(dataset, kind);
  };
  const [state, closed] = [new Map<DatasetName, string>(), new Map<DatasetName, string>()];
  for (const dataset of DATASET_NAMES) {
    state.set(dataset, await write(dataset, 'state', rowsOf(dataset, 'state')));
    closed.set(dataset, await write(dataset, 'closed', rowsOf(dataset, 'closed')));
  }
  const get = (paths: ReadonlyMap<DatasetName, string>) => (dataset: DatasetName) => paths.get(dataset) ?? '';
  return { state: mapDatasets(get(state)), closed: mapDatasets((dataset) => [get(closed)(dataset)]) };
}

const UPDATED_SQL = `TIMESTAMP '${FIRST_HISTORY_DAY}' AS updated_at`;

/** One interval per series and day of the range. */
function scoresSql(series: number, [from, to]: readonly [number, number], kind: 'state' | 'closed'): string {
  const day = `DATE '${FIRST_HISTORY_DAY}' + d::INTEGER`;
  return `${emptySql('scores', kind)} UNION ALL BY NAME
    SELECT ${historyModel(`(s // ${BENCHMARKS})`)} AS model_id, ${historyBenchmark(`(s % ${BENCHMARKS})`)} AS benchmark_id,
      (hash(s, d) >> 40)::DOUBLE / 1000 AS value, 'official' AS source, ${UPDATED_SQL}, ${day} AS valid_from
      ${kind === 'closed' ? `, ${day} AS valid_to` : ''}
    FROM range(${series}) AS a(s), range(${from}, ${to}) AS b(d)`;
}

function modelsSql(models: number, kind: 'state' | 'closed'): string {
  return `${emptySql('models', kind)} UNION ALL BY NAME SELECT ${historyModel('i')} AS id, 'Model ' || i AS name, ${UPDATED_SQL},
    DATE '${FIRST_HISTORY_DAY}' AS valid_from FROM range(${kind === 'state' ? models : 0}) AS a(i)`;
}

function emptySql(dataset: DatasetName, kind: 'state' | 'closed'): string {
  const columns = DATASETS[dataset].columns
    .map(({ name, type }) => `NULL::${DUCKDB_TYPES[type]} AS ${name}`)
    .join(', ');
  return `SELECT ${columns}, NULL::DATE AS valid_from ${kind === 'closed' ? ', NULL::DATE AS valid_to' : ''} WHERE false`;
}

const [target, ...numbers] = process.argv.slice(2);
if (target === undefined) throw new Error('usage: history-view.ts FOLDER SERIES DAYS');
const [seriesWanted = 0, daysWanted = 0] = numbers.map(Number);
await composeHistory({ folder: target, series: seriesWanted, days: daysWanted });
