/**
 * Composes a store and its view for the history benchmark; run as a process of its own, so that DuckDB's memory is not the
 * bench's: `tsx bench/api/history-view.ts FOLDER SERIES DAYS`. The tables are made by the project's own functions from
 * Parquet files as releases have them; only the nights that would have published them are left out.
 */

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { version } from '@duckdb/node-api';
import { ulid } from 'ulid';
import { STORAGE } from '../../api/view/build-view.ts';
import { createTables, loadFacts, type ViewParts } from '../../api/view/tables/view-tables.ts';
import { writeFeed, writeHistories } from '../../api/view/text/write-text.ts';
import { VIEW_FORMAT, type ViewMeta } from '../../api/view/view-meta.ts';
import { addDays } from '../../runtime/day.ts';
import type { Catalog } from '../../schemas/catalog.ts';
import { DATASET_NAMES, DATASETS, type DatasetName, mapDatasets } from '../../schemas/datasets.ts';
import { getVersion, RECORD_VERSIONS, SCHEMA_VERSION } from '../../schemas/record-versions.ts';
import { Database, sqlText } from '../../storage/duckdb/database.ts';
import { DUCKDB_TYPES } from '../../storage/duckdb/record-sql.ts';
import { CATALOG_KEY } from '../../storage/keys.ts';
import { BENCHMARKS, FIRST_HISTORY_DAY, historyBenchmark, historyModel } from './history-names.ts';

interface HistoryToCompose {
  readonly folder: string;
  /** Series of scores, each with another value every day. */
  readonly series: number;
  readonly days: number;
}

async function composeHistory({ folder, series, days }: HistoryToCompose): Promise<void> {
  const store = join(folder, 'store');
  const view = join(folder, 'view');
  const parts = join(folder, 'parts');
  for (const path of [store, view, parts]) await mkdir(path, { recursive: true });
  const database = await Database.open(':memory:', { memoryLimit: '1GB', threads: 2, tempFolder: join(parts, 'tmp') });
  const name = `${ulid()}.duckdb`;
  await database.run(`ATTACH ${sqlText(join(view, name))} AS view (${STORAGE})`);
  const catalog = catalogOf(days);
  const rankingDays = catalog.releases.map(({ day }) => day);
  await createTables(database, {
    parts: await writeParts(database, parts, { series, days }),
    version: getVersion(RECORD_VERSIONS, SCHEMA_VERSION),
    hasPrevious: false,
    cutovers: [],
    rankingDays,
  });
  const viewPath = join(view, name);
  const feed = { changes: [], firstSeq: 1, previous: undefined, viewPath, scratch: parts };
  const texts = { histories: await writeHistories(database, viewPath), feed: await writeFeed(database, feed) };
  const facts = { ...(await loadFacts(database)), texts };
  const meta: ViewMeta = { format: VIEW_FORMAT, engine: version(), catalog, manifests: [], ...EMPTY, ...facts };
  await database.run('CREATE TABLE view.meta AS SELECT $1 AS meta', [JSON.stringify(meta)]);
  await database.run('DETACH view');
  database.close();
  await writeFile(join(view, 'current'), name);
  await writeFile(join(store, CATALOG_KEY), JSON.stringify(catalog));
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
async function writeParts(
  database: Database,
  folder: string,
  { series, days }: Pick<HistoryToCompose, 'series' | 'days'>,
): Promise<ViewParts> {
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
  return {
    state: perDataset(get(state)),
    closed: perDataset((dataset) => [get(closed)(dataset)]),
    changes: [],
    backfill: undefined,
    aliases: undefined,
  };
}

/** One interval per series and day of the range. */
function scoresSql(series: number, [from, to]: readonly [number, number], kind: 'state' | 'closed'): string {
  const day = `DATE '${FIRST_HISTORY_DAY}' + d::INTEGER`;
  return `${emptySql('scores', kind)} UNION ALL BY NAME
    SELECT ${historyModel(`(s // ${BENCHMARKS})`)} AS model_id, ${historyBenchmark(`(s % ${BENCHMARKS})`)} AS benchmark_id,
      (hash(s, d) >> 40)::DOUBLE / 1000 AS value, 'official' AS source, ${day} AS valid_from
      ${kind === 'closed' ? `, ${day} AS valid_to` : ''}
    FROM range(${series}) AS a(s), range(${from}, ${to}) AS b(d)`;
}

function modelsSql(models: number, kind: 'state' | 'closed'): string {
  return `${emptySql('models', kind)} UNION ALL BY NAME SELECT ${historyModel('i')} AS id, 'Model ' || i AS name,
    DATE '${FIRST_HISTORY_DAY}' AS valid_from FROM range(${kind === 'state' ? models : 0}) AS a(i)`;
}

function emptySql(dataset: DatasetName, kind: 'state' | 'closed'): string {
  const columns = DATASETS[dataset].columns
    .map(({ name, type }) => `NULL::${DUCKDB_TYPES[type]} AS ${name}`)
    .join(', ');
  return `SELECT ${columns}, NULL::DATE AS valid_from ${kind === 'closed' ? ', NULL::DATE AS valid_to' : ''} WHERE false`;
}

function perDataset<T>(value: (dataset: DatasetName) => T): Record<DatasetName, T> {
  const [models, benchmarks, scores] = [value('models'), value('benchmarks'), value('scores')];
  return { models, benchmarks, scores, rankings: value('rankings'), pricing: value('pricing') };
}

const [target, ...numbers] = process.argv.slice(2);
if (target === undefined) throw new Error('usage: history-view.ts FOLDER SERIES DAYS');
const [seriesWanted = 0, daysWanted = 0] = numbers.map(Number);
await composeHistory({ folder: target, series: seriesWanted, days: daysWanted });
