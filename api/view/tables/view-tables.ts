import { listValue } from '@duckdb/node-api';
import type { Day } from '../../../runtime/day.ts';
import { AppError } from '../../../runtime/errors.ts';
import { DATASET_NAMES, DATASETS, type Dataset, type DatasetName } from '../../../schemas/datasets.ts';
import type { RecordVersion } from '../../../schemas/record-version.ts';
import { type Database, recordsSql } from '../../../storage/duckdb/database.ts';
import { columnList, lineSql } from '../../../storage/duckdb/record-sql.ts';
import { nullable, number, text } from '../../../storage/duckdb/row-shape.ts';
import { HISTORY_KINDS, type HistoryKind } from './history-kinds.ts';
import { createHistory, type HistoriesInput, type HistoryParts } from './history-tables.ts';
import { createScoreOrders } from './list-orders.ts';

/**
 * The tables of a view:
 *
 * | table | one row per | order |
 * |---|---|---|
 * | `models`, `benchmarks`, `scores`, `rankings`, `pricing` | current record: its position `pos`, columns and published `line` | key |
 * | `aliases` | name of a model at an upstream, with the model's `pos` | name, upstream |
 * | `scores_by_<order>` | score (see `list-orders.ts`) | the order |
 * | `history_<kind>` | interval or part of one (see `history-tables.ts`): first and last day, and its point without the date | model, series, day |
 * | `positions` | interval of a ranking record in a top position | category, day |
 * | `ranking_counts` | category and captured day: number of ranked models | category, day |
 * | `changes` | event in the feed: its seq, type and bytes of text | seq |
 * | `news` | recent event that is news (see `view-news.ts`) | seq |
 * | `known` | id of any model, benchmark, category or provider ever captured | kind, id |
 *
 * Values that responses send unchanged are JSON text. `text/` writes `changes`. Responses read histories from texts; their tables are
 * for the next view.
 */

/** Local Parquet files of releases, already checked by hash. */
export interface ViewParts extends HistoryParts {
  /** Events since the previous view. */
  readonly changes: readonly string[];
  /** Names of models, if any. */
  readonly aliases: string | undefined;
}

export interface TablesInput extends HistoriesInput {
  readonly parts: ViewParts;
  /** Of the current records (specification "Record versions"). */
  readonly version: RecordVersion;
  /** On which rankings were captured. */
  readonly rankingDays: readonly Day[];
}

/** In the attached database `view`; without `changes` and `news`. */
export async function createTables(database: Database, input: TablesInput): Promise<void> {
  for (const kind of HISTORY_KINDS) await createHistory(database, kind, input);
  await createAliases(database, { models: input.parts.state.models, aliases: input.parts.aliases });
  for (const name of DATASET_NAMES) await createCurrent(database, name, input);
  await createPositions(database);
  await createRankingCounts(database, input.rankingDays);
  await createKnown(database, input);
}

export interface TableFacts {
  /** First day with a point, captured or reconstructed; null: none yet. */
  readonly availableFrom: Readonly<Record<HistoryKind, Day | null>>;
  /** First days of the current models, ascending. */
  readonly addedDays: readonly Day[];
}

export async function loadFacts(database: Database): Promise<TableFacts> {
  const days = { score: nullable(text), ranking: nullable(text), pricing: nullable(text), metadata: nullable(text) };
  const first = (kind: HistoryKind) => `(SELECT min(valid_from)::VARCHAR FROM view.history_${kind}) AS ${kind}`;
  const availableFrom = await database.row(days, `SELECT ${HISTORY_KINDS.map(first).join(', ')}`);
  const added = await database.rows(
    { day: text },
    `SELECT DISTINCT added_on::VARCHAR AS day FROM view.models WHERE added_on IS NOT NULL ORDER BY day`,
  );
  return { availableFrom, addedDays: added.map(({ day }) => day) };
}

async function createCurrent(database: Database, name: DatasetName, { parts, version }: TablesInput): Promise<void> {
  const dataset = DATASETS[name];
  const more = name === 'models' ? `, added_on, ${NAME_COLUMNS}` : '';
  const join = `LEFT JOIN (SELECT model_id, min(valid_from) AS added_on FROM view.history_metadata GROUP BY model_id) added
    ON added.model_id = s.id LEFT JOIN ${NAMED_SQL} named ON named.pos = file_row_number + 1`;
  const records = await recordsSql(database, dataset, parts.state[name], 'file_row_number = true');
  await database.run(
    `CREATE TABLE view.${name} AS
     SELECT (file_row_number + 1)::INTEGER AS pos, ${columnList(dataset.columns, 's')}, ${lineSql(version.datasets[name], 's')} AS line${more}
     FROM (${records}) s ${name === 'models' ? `${join} ORDER BY s.file_row_number` : ''}`,
  );
  await assertByKey(database, dataset);
  await database.run(`CREATE INDEX ${name}_pos ON view.${name} (pos)`);
  if (name === 'scores') await createScoreOrders(database);
}

/** Row numbers become positions, so states must be in key order; sorting them would take too long. */
async function assertByKey(database: Database, { name, key }: Dataset): Promise<void> {
  const before = key.map((column) => `lag(${column}, 1, '') OVER () AS before_${column}`);
  const isLater = key.map((column, i) => {
    const same = key.slice(0, i).map((earlier) => `${earlier} = before_${earlier} AND `);
    return `(${same.join('')}${column} > before_${column})`;
  });
  const { disordered } = await database.row(
    { disordered: number },
    `SELECT count(*)::DOUBLE AS disordered FROM (SELECT ${columnList(key)}, ${before.join(', ')} FROM view.${name})
     WHERE NOT (${isLater.join(' OR ')})`,
  );
  if (disordered > 0) throw new AppError('corrupt', `the state of ${name} is not in the order of its key`);
}

/** Positions per category in one history request (specification "Rankings history"). */
export const TOP_POSITIONS_MAX = 50;

async function createPositions(database: Database): Promise<void> {
  await database.run(
    `CREATE TABLE view.positions AS
     SELECT series AS category, value::INTEGER AS rank, model_id, valid_from, valid_to, payload
     FROM view.history_ranking WHERE value::INTEGER <= ${TOP_POSITIONS_MAX}
     ORDER BY category, valid_from, rank, model_id`,
  );
}

/** Counts starts and ends: the cost depends on intervals, not on days. */
async function createRankingCounts(database: Database, days: readonly Day[]): Promise<void> {
  await database.run(
    `CREATE TABLE view.ranking_counts AS
     WITH steps AS (
       SELECT series AS category, valid_from AS day, 1 AS step FROM view.history_ranking
       UNION ALL SELECT series, valid_to + 1, -1 FROM view.history_ranking WHERE valid_to IS NOT NULL),
     daily AS (SELECT category, day, sum(step) AS step FROM steps GROUP BY category, day),
     running AS (SELECT category, day, sum(step) OVER (PARTITION BY category ORDER BY day) AS positions FROM daily),
     captured AS (SELECT unnest($1::JSON::DATE[]) AS day),
     expected AS (SELECT category, captured.day FROM (SELECT DISTINCT category FROM running) CROSS JOIN captured)
     SELECT category, x.day, r.positions::INTEGER AS positions
     FROM expected x ASOF JOIN running r USING (category, day) WHERE r.positions > 0 ORDER BY category, x.day`,
    [JSON.stringify(days)], // As text: an empty list can't be bound.
  );
}

async function createKnown(database: Database, { parts, hasPrevious }: TablesInput): Promise<void> {
  const benchmarks = [parts.state.benchmarks, ...parts.closed.benchmarks];
  await database.run(
    `CREATE TABLE view.known AS
     SELECT DISTINCT kind, id FROM (
       SELECT 'model' AS kind, model_id AS id FROM view.history_metadata
       UNION ALL SELECT 'benchmark', id FROM read_parquet($1, union_by_name = true)
       UNION ALL SELECT 'category', category FROM view.ranking_counts
       UNION ALL SELECT 'provider', series FROM view.history_pricing
       ${hasPrevious ? `UNION ALL SELECT kind, id FROM prev.known` : ''})
     ORDER BY kind, id`,
    [listValue(benchmarks)],
  );
}

/** Separates a model's searched texts; ids and names can't contain it. */
export const TEXTS_SEPARATOR = '\u0001';

export interface NameParts {
  readonly models: string;
  readonly aliases: string | undefined;
}

/** Names of current models only (specification "Names of models"; decision 0077). */
async function createAliases(database: Database, { models, aliases }: NameParts): Promise<void> {
  if (aliases === undefined) {
    await database.run('CREATE TABLE view.aliases (pos INTEGER, id VARCHAR, upstream VARCHAR)');
    return;
  }
  await database.run(
    `CREATE TABLE view.aliases AS
     SELECT m.pos, a.id, a.upstream FROM read_parquet($2) a
     JOIN (SELECT (file_row_number + 1)::INTEGER AS pos, id FROM read_parquet($1, file_row_number = true)) m
     ON m.id = a.model_id ORDER BY a.id, a.upstream`,
    [models, aliases],
  );
}

/** `s` is a model, `named` is {@link NAMED_SQL}. */
const NAME_COLUMNS = `lower(concat_ws('${TEXTS_SEPARATOR}', s.id, s.name, named.ids)) AS texts,
  coalesce(named.aliases, '[]') AS aliases`;

/** One row per model with names: joined as text, and as JSON, by upstream and name. */
const NAMED_SQL = `(SELECT pos, string_agg(id, '${TEXTS_SEPARATOR}' ORDER BY upstream, id) AS ids,
  to_json(list({upstream: upstream, id: id} ORDER BY upstream, id))::VARCHAR AS aliases FROM view.aliases GROUP BY pos)`;
