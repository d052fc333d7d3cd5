/**
 * A night's changes beside the records before it, in SQL, for the SELECTs of topics (specification "From changes to events"). It reads
 * `changes`, the changes that may be events; those of a dataset without a change feed come from both snapshots alone.
 */
import { type Column, DATASETS, type Dataset, publishedColumns, publishedName } from '../../../schemas/datasets.ts';
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

/** Whether the changes of a topic's dataset are in the change feed. */
export function isInFeed({ dataset }: Pick<Compared, 'dataset'>): boolean {
  return DATASETS[dataset].entityType !== null;
}

/** What a topic's SELECT is made of; changes that have no `seq` of their own get the last one of the release. */
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

/** A snapshot's file of canonical lines, unpacked. */
export interface LinesFile {
  readonly path: string;
  readonly longestLineBytes: number;
}

/** Smaller reads only take longer. */
const LINE_BYTES_MIN = 1024 * 1024;

/** A table of records on one side of a night. */
export type RecordsTable = 'before_records' | 'after_records';

/**
 * Makes a table of records with their key and the compared columns, one row per record: of a dataset in the feed those that have a
 * change, else all. Without a file there are none.
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
  const nameThen = (column: Column) => publishedName(published.find((other) => other.name === column.name) ?? column);
  const types = columns.map((column) => `${nameThen(column)}: '${DUCKDB_TYPES[column.type]}'`);
  const values = columns.map((column) => `${nameThen(column)} AS ${column.name}`);
  // Twice as much is kept in memory, however short the lines are.
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

/** {@link changesSql} of a dataset without a change feed: the records that both snapshots don't have alike. */
function differencesSql(dataset: Dataset, columns: readonly Column[], { differs, lastSeq }: Differences): string {
  const [first] = dataset.key;
  const parts = dataset.key.map((part) => `coalesce(c.${part}, b.${part}) AS ${part}`);
  const values = columns.map(({ name }) => `c.${name}`);
  return `SELECT ${lastSeq}::BIGINT AS seq, CASE WHEN c.${first} IS NULL THEN 'delete' ELSE 'upsert' END AS op,
      ${[...parts, ...values].join(', ')}
    FROM after_records c FULL JOIN before_records b ON ${sameKeySql(dataset, 'c', 'b')}
    WHERE c.${first} IS NULL OR b.${first} IS NULL OR ${differs}`;
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
