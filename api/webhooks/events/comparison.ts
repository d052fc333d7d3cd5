/**
 * A night's changes beside the records before it, in SQL, for the SELECTs of topics (specification "From changes to events"). It reads
 * `changes`, the changes that may be events.
 */
import { type Column, type Dataset, publishedColumns, publishedName } from '../../../schemas/datasets.ts';
import type { RecordVersion } from '../../../schemas/record-version.ts';
import { sqlText } from '../../../storage/duckdb/database.ts';
import { DUCKDB_TYPES, sameKeySql } from '../../../storage/duckdb/record-sql.ts';
import type { Comparison } from '../topics/topic.ts';
import type { ChangeTopicDefinition } from '../topics/topics.ts';

/** The versions of the records on both sides of a night; the same but where one comes into force with it. */
export interface VersionsAround {
  readonly before: RecordVersion;
  readonly after: RecordVersion;
}

type Compared = Pick<ChangeTopicDefinition, 'dataset' | 'compared'>;

/** What a topic's SELECT is made of. */
export function comparisonOf(topic: Compared, versions: VersionsAround): Comparison {
  const dataset = versions.after.datasets[topic.dataset];
  const columns = comparedColumns(topic, versions);
  const differences = columns.map(({ name }) => `c.${name} IS DISTINCT FROM b.${name}`);
  return {
    changes: changesSql(dataset, columns),
    sameKey: sameKeySql(dataset, 'c', 'b'),
    differs: differences.length === 0 ? 'false' : `(${differences.join(' OR ')})`,
    has: (column) => columns.some(({ name }) => name === column),
  };
}

/** A snapshot's file of canonical lines, unpacked. */
export interface LinesFile {
  readonly path: string;
  readonly longestLineBytes: number;
}

/** Smaller reads only take longer. */
const LINE_BYTES_MIN = 1024 * 1024;

/**
 * Makes `before_records`, the table of those records before the night that have a change: one row per record. Without a file there was
 * none.
 */
export function beforeSql(topic: Compared, lines: LinesFile | undefined, versions: VersionsAround): string {
  const dataset = versions.after.datasets[topic.dataset];
  const key = dataset.columns.filter(({ name }) => dataset.key.includes(name));
  const columns = [...key, ...comparedColumns(topic, versions)];
  if (lines === undefined) {
    const definitions = columns.map((column) => `${column.name} ${DUCKDB_TYPES[column.type]}`);
    return `CREATE TABLE before_records (${definitions.join(', ')})`;
  }
  const published = publishedColumns(versions.before.datasets[topic.dataset]);
  const nameBefore = (column: Column) => publishedName(published.find((other) => other.name === column.name) ?? column);
  const types = columns.map((column) => `${nameBefore(column)}: '${DUCKDB_TYPES[column.type]}'`);
  const values = columns.map((column) => `${nameBefore(column)} AS ${column.name}`);
  // Twice as much is kept in memory, however short the lines are.
  const lineBytesMax = Math.max(LINE_BYTES_MIN, lines.longestLineBytes + 1);
  return `CREATE TABLE before_records AS
    SELECT * FROM (SELECT ${values.join(', ')} FROM read_json(${sqlText(lines.path)}, format = 'newline_delimited',
      columns = {${types.join(', ')}}, maximum_object_size = ${lineBytesMax})) b
    SEMI JOIN (${changesSql(dataset, [])}) c ON ${sameKeySql(dataset, 'b', 'c')}`;
}

/** A dataset's changes with the parts of their key and with columns of the new record, which are null where it was deleted. */
function changesSql({ key, entityType }: Dataset, columns: readonly Column[]): string {
  const parts = key.map((part) => `key ->> '$.${part}' AS ${part}`);
  const values = columns.map(
    (column) => `CAST(data ->> '$.${publishedName(column)}' AS ${DUCKDB_TYPES[column.type]}) AS ${column.name}`,
  );
  return `SELECT seq, op, ${[...parts, ...values].join(', ')} FROM changes WHERE entity_type = '${entityType}'`;
}

/** What both versions publish of the compared columns, as the later one calls it: what one doesn't have can't be compared. */
function comparedColumns(topic: Compared, { before, after }: VersionsAround): readonly Column[] {
  const compared: readonly string[] = topic.compared ?? [];
  const known = publishedColumns(before.datasets[topic.dataset]).map((column) => column.name);
  return publishedColumns(after.datasets[topic.dataset]).filter(
    (column) => compared.includes(column.name) && known.includes(column.name),
  );
}
