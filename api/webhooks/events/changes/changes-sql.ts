/**
 * What a night's changes are as events, in SQL (specification "From changes to events"). Each SELECT gives one row per event: `seq`,
 * `topic`, `model_id`, `part` (the other part of the key: benchmark, provider or category) and `facts`, a JSON object of what else the
 * topic needs. They read `changes`, the changes that may be events, and `before_<dataset>`: of the records before the night those
 * that have a change.
 */
import {
  type Column,
  type Dataset,
  type DatasetName,
  publishedColumns,
  publishedName,
} from '../../../../schemas/datasets.ts';
import type { RecordVersion } from '../../../../schemas/record-version.ts';
import { sqlText } from '../../../../storage/duckdb/database.ts';
import { DUCKDB_TYPES, sameKeySql } from '../../../../storage/duckdb/record-sql.ts';
import type { ChangeTopic } from './topic-event.ts';

/** The versions of the records on both sides of a night; the same but where one comes into force with it. */
export interface VersionsAround {
  readonly before: RecordVersion;
  readonly after: RecordVersion;
}

/** The columns by which records of a dataset are compared, and whose values a topic's rules need. */
const COMPARED = {
  models: [],
  pricing: ['input_per_million', 'output_per_million', 'currency'],
  rankings: ['rank'],
} as const satisfies Partial<Record<DatasetName, readonly string[]>>;
export type ComparedDataset = keyof typeof COMPARED;

/** The dataset whose records before the night tell what a topic's changes are; undefined where changes alone do. */
export const COMPARED_BY_TOPIC: Readonly<Record<ChangeTopic, ComparedDataset | undefined>> = {
  'model.created': 'models',
  'score.updated': undefined,
  'ranking.updated': 'rankings',
  'pricing.updated': 'pricing',
};

/** The dataset whose changes a topic tells. */
export const DATASET_BY_TOPIC = {
  'model.created': 'models',
  'score.updated': 'scores',
  'ranking.updated': 'rankings',
  'pricing.updated': 'pricing',
} as const satisfies Readonly<Record<ChangeTopic, DatasetName>>;

/** A snapshot's file of canonical lines, unpacked. */
export interface LinesFile {
  readonly path: string;
  readonly longestLineBytes: number;
}

/** The table of those records before the night that have a change: one row per record. Without a file there was none. */
export function beforeSql(name: ComparedDataset, lines: LinesFile | undefined, versions: VersionsAround): string {
  const dataset = versions.after.datasets[name];
  const columns = [...keyColumns(dataset), ...comparedColumns(name, versions)];
  if (lines === undefined) {
    const definitions = columns.map((column) => `${column.name} ${DUCKDB_TYPES[column.type]}`);
    return `CREATE TABLE before_${name} (${definitions.join(', ')})`;
  }
  const published = publishedColumns(versions.before.datasets[name]);
  const nameBefore = (column: Column) => publishedName(published.find((other) => other.name === column.name) ?? column);
  const types = columns.map((column) => `${nameBefore(column)}: '${DUCKDB_TYPES[column.type]}'`);
  const values = columns.map((column) => `${nameBefore(column)} AS ${column.name}`);
  // Twice as much is kept in memory, however short the lines are.
  const lineBytesMax = Math.max(LINE_BYTES_MIN, lines.longestLineBytes + 1);
  return `CREATE TABLE before_${name} AS
    SELECT * FROM (SELECT ${values.join(', ')} FROM read_json(${sqlText(lines.path)}, format = 'newline_delimited',
      columns = {${types.join(', ')}}, maximum_object_size = ${lineBytesMax})) b
    SEMI JOIN (${changedSql(dataset, [])}) c ON ${sameKeySql(dataset, 'b', 'c')}`;
}

/** Smaller reads only take longer. */
const LINE_BYTES_MIN = 1024 * 1024;

/** The events of a topic; of a ranking's models only those in the table `watched` are listed. */
export function topicSql(topic: ChangeTopic, versions: VersionsAround): string {
  switch (topic) {
    case 'model.created':
      return createdSql(versions);
    case 'score.updated':
      return scoresSql(versions);
    case 'pricing.updated':
      return pricesSql(versions);
    case 'ranking.updated':
      return rankingsSql(versions);
  }
}

/** Upserts of models that were absent before the night. */
function createdSql(versions: VersionsAround): string {
  const { models } = versions.after.datasets;
  return `SELECT c.seq, 'model.created' AS topic, c.id AS model_id, NULL::VARCHAR AS part, NULL::VARCHAR AS facts
    FROM (${changedSql(models, [])}) c ANTI JOIN before_models b ON c.id = b.id WHERE c.op = 'upsert'`;
}

/** Every upsert of a score. */
function scoresSql({ after }: VersionsAround): string {
  return `SELECT seq, 'score.updated' AS topic, model_id, benchmark_id AS part, NULL::VARCHAR AS facts
    FROM (${changedSql(after.datasets.scores, [])}) WHERE op = 'upsert'`;
}

/** Prices that came, went or differ; a change of anything else is none. */
function pricesSql(versions: VersionsAround): string {
  const columns = comparedColumns('pricing', versions);
  const isAdded = `b.model_id IS NULL`;
  const price = (alias: string) => {
    const value = (name: string) => (columns.some((column) => column.name === name) ? `${alias}.${name}` : 'NULL');
    return `json_object('input', ${value('input_per_million')}, 'output', ${value('output_per_million')}, 'currency', ${value('currency')})`;
  };
  return `SELECT c.seq, 'pricing.updated' AS topic, c.model_id, c.provider AS part,
      CASE WHEN c.op = 'delete' THEN '{"change":"provider_removed"}' WHEN ${isAdded} THEN '{"change":"provider_added"}'
        ELSE json_object('change', 'price', 'before', ${price('b')}, 'after', ${price('c')})::VARCHAR END AS facts
    FROM (${changedSql(versions.after.datasets.pricing, columns)}) c
    LEFT JOIN before_pricing b ON ${sameKeySql(versions.after.datasets.pricing, 'c', 'b')}
    WHERE c.op = 'delete' OR ${isAdded} OR ${differsSql(columns)}`;
}

/** One row per category with a model that came, went or has another rank, at the highest seq of those changes. */
function rankingsSql(versions: VersionsAround): string {
  const columns = comparedColumns('rankings', versions);
  // Of a version without ranks nobody can say how high a change reached: rather told than kept back.
  const best = columns.length === 0 ? '1' : 'min(least(c.rank, b.rank))';
  return `SELECT max(c.seq) AS seq, 'ranking.updated' AS topic, NULL::VARCHAR AS model_id, c.category AS part,
      json_object('changed', count(*), 'first_seq', min(c.seq), 'best_rank', ${best},
        'models', coalesce(list(c.model_id) FILTER (c.model_id IN (SELECT id FROM watched)), []))::VARCHAR AS facts
    FROM (${changedSql(versions.after.datasets.rankings, columns)}) c
    LEFT JOIN before_rankings b ON ${sameKeySql(versions.after.datasets.rankings, 'c', 'b')}
    WHERE c.op = 'delete' OR b.model_id IS NULL OR ${differsSql(columns)}
    GROUP BY c.category`;
}

/** A dataset's changes with the parts of their key and with columns of the new record, which are null where it was deleted. */
function changedSql({ key, entityType }: Dataset, columns: readonly Column[]): string {
  const parts = key.map((part) => `key ->> '$.${part}' AS ${part}`);
  const values = columns.map(
    (column) => `CAST(data ->> '$.${publishedName(column)}' AS ${DUCKDB_TYPES[column.type]}) AS ${column.name}`,
  );
  return `SELECT seq, op, ${[...parts, ...values].join(', ')} FROM changes WHERE entity_type = '${entityType}'`;
}

function differsSql(columns: readonly Column[]): string {
  const differences = columns.map(({ name }) => `c.${name} IS DISTINCT FROM b.${name}`);
  return differences.length === 0 ? 'false' : differences.join(' OR ');
}

function keyColumns({ columns, key }: Dataset): readonly Column[] {
  return columns.filter(({ name }) => key.includes(name));
}

/** What both versions publish of the compared columns, as the later one calls it: what one doesn't tell can't be compared. */
function comparedColumns(name: ComparedDataset, { before, after }: VersionsAround): readonly Column[] {
  const compared: readonly string[] = COMPARED[name];
  const known = publishedColumns(before.datasets[name]).map((column) => column.name);
  return publishedColumns(after.datasets[name]).filter(
    (column) => compared.includes(column.name) && known.includes(column.name),
  );
}
