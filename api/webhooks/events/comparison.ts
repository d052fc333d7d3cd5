/**
 * SQL that compares a night's changes, in the view `changes`, with the records before (specification "From changes to
 * events"); without a change feed it compares both snapshots.
 */
import { type Column, DATASETS, type Dataset, publishedColumns, publishedName } from '../../../schemas/datasets.ts';
import type { RecordVersion } from '../../../schemas/record-version.ts';
import { sqlText } from '../../../storage/duckdb/database.ts';
import { DUCKDB_TYPES, sameKeySql } from '../../../storage/duckdb/record-sql.ts';
import type { Comparison } from '../topics/topic.ts';
import type { ChangeTopicDefinition } from '../topics/topics.ts';

/** Record versions before and after a night; they differ only if a new one comes into force. */
export interface VersionsAround {
  readonly before: RecordVersion;
  readonly after: RecordVersion;
}

type Compared = Pick<ChangeTopicDefinition, 'dataset' | 'compared'>;

export function isInFeed({ dataset }: Pick<Compared, 'dataset'>): boolean {
  return DATASETS[dataset].entityType !== null;
}

/** Changes without a `seq` get the release's last one. */
export function comparisonOf(topic: Compared, versions: VersionsAround, lastSeq: number): Comparison {
  const dataset = versions.after.datasets[topic.dataset];
  const columns = comparedColumns(topic, versions);
  const differences = columns.map(({ name }) => `c.${name} IS DISTINCT FROM b.${name}`);
  const differs = differences.length === 0 ? 'false' : `(${differences.join(' OR ')})`;
  return {
    changes: isInFeed(topic) ? changesSql(dataset, columns) : differencesSql(dataset, columns, { differs, lastSeq }),
    sameKey: sameKeySql(dataset, 'c', 'b'),
    differs,
    has: (column) => columns.some(({ name }) => name === column),
  };
}

/** A snapshot's unpacked file of canonical lines. */
export interface LinesFile {
  readonly path: string;
  readonly longestLineBytes: number;
}

/** Smaller reads are slower. */
const LINE_BYTES_MIN = 1024 * 1024;

export type RecordsTable = 'before_records' | 'after_records';

/**
 * A table of key and compared columns, one row per record; of a dataset in the feed only records with a change. Without
 * a file it is empty.
 */
export function recordsSql(
  table: RecordsTable,
  topic: Compared,
  { lines, versions }: { readonly lines: LinesFile | undefined; readonly versions: VersionsAround },
): string {
  const dataset = versions.after.datasets[topic.dataset];
  const key = dataset.columns.filter(({ name }) => dataset.key.includes(name));
  const columns = [...key, ...comparedColumns(topic, versions)];
  if (lines === undefined) {
    const definitions = columns.map((column) => `${column.name} ${DUCKDB_TYPES[column.type]}`);
    return `CREATE TABLE ${table} (${definitions.join(', ')})`;
  }
  const version = table === 'before_records' ? versions.before : versions.after;
  const published = publishedColumns(version.datasets[topic.dataset]);
  const nameIn = (column: Column) => publishedName(published.find((other) => other.name === column.name) ?? column);
  const types = columns.map((column) => `${nameIn(column)}: '${DUCKDB_TYPES[column.type]}'`);
  const values = columns.map((column) => `${nameIn(column)} AS ${column.name}`);
  // DuckDB allocates twice as much, whatever the lines.
  const lineBytesMax = Math.max(LINE_BYTES_MIN, lines.longestLineBytes + 1);
  const changed = `SEMI JOIN (${changesSql(dataset, [])}) c ON ${sameKeySql(dataset, 'b', 'c')}`;
  return `CREATE TABLE ${table} AS
    SELECT * FROM (SELECT ${values.join(', ')} FROM read_json(${sqlText(lines.path)}, format = 'newline_delimited',
      columns = {${types.join(', ')}}, maximum_object_size = ${lineBytesMax})) b
    ${isInFeed(topic) ? changed : ''}`;
}

interface Differences {
  /** True where a compared column of `c` and `b` differs. */
  readonly differs: string;
  readonly lastSeq: number;
}

/** {@link changesSql} without a change feed: records that differ between the snapshots. */
function differencesSql(dataset: Dataset, columns: readonly Column[], { differs, lastSeq }: Differences): string {
  const [first] = dataset.key;
  const parts = dataset.key.map((part) => `coalesce(c.${part}, b.${part}) AS ${part}`);
  const values = columns.map(({ name }) => `c.${name}`);
  return `SELECT ${lastSeq}::BIGINT AS seq, CASE WHEN c.${first} IS NULL THEN 'delete' ELSE 'upsert' END AS op,
      ${[...parts, ...values].join(', ')}
    FROM after_records c FULL JOIN before_records b ON ${sameKeySql(dataset, 'c', 'b')}
    WHERE c.${first} IS NULL OR b.${first} IS NULL OR ${differs}`;
}

/** A dataset's changes: key, and columns of the new record, null if deleted. */
function changesSql({ key, entityType }: Dataset, columns: readonly Column[]): string {
  const parts = key.map((part) => `key ->> '$.${part}' AS ${part}`);
  const values = columns.map(
    (column) => `CAST(data ->> '$.${publishedName(column)}' AS ${DUCKDB_TYPES[column.type]}) AS ${column.name}`,
  );
  return `SELECT seq, op, ${[...parts, ...values].join(', ')} FROM changes WHERE entity_type = '${entityType}'`;
}

/** Published by both versions, named as in the later one. */
function comparedColumns(topic: Compared, { before, after }: VersionsAround): readonly Column[] {
  const compared: readonly string[] = topic.compared ?? [];
  const known = publishedColumns(before.datasets[topic.dataset]).map((column) => column.name);
  return publishedColumns(after.datasets[topic.dataset]).filter(
    (column) => compared.includes(column.name) && known.includes(column.name),
  );
}
