import type { Day } from '../../runtime/day.ts';
import { DELETE_ORDER, UPSERT_ORDER } from '../../schemas/change.ts';
import {
  contentColumns,
  DATASET_NAMES,
  DATASETS,
  type Dataset,
  type DatasetName,
  mapDatasets,
} from '../../schemas/datasets.ts';
import { storedColumns } from '../../schemas/record-versions.ts';
import { type Database, sqlText } from '../../storage/duckdb/database.ts';
import { columnList, DUCKDB_TYPES, entityIdSql, keySql, lineSql, sameKeySql } from '../../storage/duckdb/record-sql.ts';
import { nullable, number, text } from '../../storage/duckdb/row-shape.ts';
import type { Capture } from './capture/capture.ts';
import { type Check, emptyCounts, type RecordCounts } from './check/check.ts';
import type { NightVersions, Previous } from './previous.ts';
import { table } from './tables.ts';

export interface DiffInput {
  readonly day: Day;
  /** As published, such as `2026-11-20T23:59:59Z`. */
  readonly capturedAt: string;
  readonly captured: Capture;
  readonly checked: Check;
  readonly previous: Previous;
  readonly versions: NightVersions;
}

export interface Diff extends RecordCounts {
  readonly events: { readonly upsert: number; readonly delete: number };
  readonly firstSeq: number | null;
  /** First event of an unchanged record that is sent again; such events come last. */
  readonly firstRenewalSeq: number | null;
  readonly lastSeq: number;
  /** The upstreams that records in force name, by dataset; null stands for carried records that name none. */
  readonly upstreams: Readonly<Record<DatasetName, ReadonlySet<string | null>>>;
}

/**
 * A stage of the night: joins capture and yesterday's state into `merged_<dataset>` and numbers the differences in
 * `changes` (specification "Order of events"): deletes, children before parents; then upserts, parents before children;
 * each by key. When a record version takes effect, upserts of all other records follow, which `updated_at` and history
 * ignore.
 */
export async function diff(input: DiffInput, { database }: { readonly database: Database }): Promise<Diff> {
  for (const name of UPSERT_ORDER) await merge(database, DATASETS[name], input);
  await countModels(database);
  await merge(database, DATASETS.benchmarks, input);
  const before = input.previous.release?.last_seq ?? 0;
  const { lastChangeSeq, lastSeq } = await numberChanges(database, input, before);
  const totals = await database.row(
    { upserts: number, deletes: number },
    `SELECT count(*) FILTER (op = 'upsert')::DOUBLE AS upserts, count(*) FILTER (op = 'delete')::DOUBLE AS deletes FROM changes`,
  );
  return {
    ...(await countRecords(database)),
    events: { upsert: totals.upserts, delete: totals.deletes },
    firstSeq: lastSeq > before ? before + 1 : null,
    firstRenewalSeq: lastSeq > lastChangeSeq ? lastChangeSeq + 1 : null,
    lastSeq,
    upstreams: await findUpstreams(database),
  };
}

/**
 * One row per key of yesterday or today, in key order. Columns that are new in today's version are filled but not
 * compared (decision 0076).
 */
async function merge(database: Database, dataset: Dataset, input: DiffInput): Promise<void> {
  const [captured, previous] = [table('captured', dataset.name), table('previous', dataset.name)];
  const { inForce, before = inForce } = input.versions;
  const stored = new Set(storedColumns(dataset.name, inForce).map(({ name }) => name));
  const content = contentColumns({ ...dataset, columns: storedColumns(dataset.name, inForce, before) });
  const [firstKey] = dataset.key;
  const isNew = `c.${firstKey} IS NOT NULL`;
  // Corrects future times from a night with a wrong clock.
  const isAhead = 'p.updated_at > $2::TIMESTAMPTZ::TIMESTAMP';
  const differs = [...content.map(({ name }) => `c.${name} IS DISTINCT FROM p.${name}`), isAhead].join(' OR ');
  const columns = dataset.columns.map(({ name, type }) => {
    const isFilled = name !== 'updated_at' && stored.has(name);
    return isFilled ? `if(${isNew}, c.${name}, p.${name}) AS ${name}` : `NULL::${DUCKDB_TYPES[type]} AS ${name}`;
  });
  await database.run(
    `CREATE TABLE ${table('merged', dataset.name)} AS
     SELECT ${dataset.columns.map(({ name }) => (name === 'updated_at' ? updatedAtSql() : name)).join(', ')},
            CASE op WHEN 'upsert' THEN $1::DATE WHEN 'keep' THEN coalesce(since, $1::DATE)
                    WHEN 'idle' THEN since WHEN 'carry' THEN NULL ELSE since END AS valid_from, op
     FROM (SELECT ${columns.join(', ')}, c.updated_at AS source_updated, p.updated_at AS previous_updated,
                  p.valid_from AS since,
                  CASE WHEN ${isNew} THEN if(p.${firstKey} IS NULL OR ${differs}, 'upsert', 'keep')
                       WHEN ${lostParentSql(dataset)} THEN 'delete'
                       ELSE ${absentSql(dataset, input)} END AS op
           FROM ${captured} c FULL JOIN ${previous} p ON ${sameKeySql(dataset, 'c', 'p')})
     ORDER BY ${columnList(dataset.key)}`,
    [input.day, input.capturedAt],
  );
  await database.run(`DROP TABLE ${captured}`);
}

/**
 * A record's own `updated_at` (specification "Records and updated_at"): kept while the content is unchanged; else the
 * source's value if it is after the old one and not after the capture ($2), else the capture's.
 */
function updatedAtSql(): string {
  return `CASE WHEN op <> 'upsert' THEN previous_updated
    WHEN source_updated <= $2::TIMESTAMPTZ::TIMESTAMP AND (previous_updated IS NULL OR source_updated > previous_updated)
    THEN source_updated ELSE $2::TIMESTAMPTZ::TIMESTAMP END AS updated_at`;
}

/** For a record that today's capture lacks. */
function absentSql(dataset: Dataset, { captured, checked }: DiffInput): string {
  if (!captured.datasets.some((candidate) => candidate.dataset === dataset.name)) return `'idle'`;
  if (checked.withheld.has(dataset.name)) return `'carry'`;
  const aside = table('aside', dataset.name);
  return `if(EXISTS (SELECT 1 FROM ${aside} a WHERE ${sameKeySql(dataset, 'a', 'p')}), 'carry', 'delete')`;
}

/** True where a record's model or benchmark was removed. */
function lostParentSql(dataset: Dataset): string {
  const lost = dataset.columns.flatMap(({ name, references }) =>
    references === undefined ? [] : [`p.${name} NOT IN (SELECT id FROM present_${references})`],
  );
  return lost.length === 0 ? 'false' : lost.join(' OR ');
}

/** Counts the models with scores, for benchmarks without a `model_count`. */
async function countModels(database: Database): Promise<void> {
  await database.run(
    `UPDATE ${table('captured', 'benchmarks')} AS b SET model_count = coalesce(
       (SELECT count(*) FROM ${table('merged', 'scores')} s WHERE s.benchmark_id = b.id AND s.op <> 'delete'), 0)
     WHERE model_count IS NULL`,
  );
}

/** One row per event, without gaps, in feed order. */
async function numberChanges(database: Database, { day, versions }: DiffInput, before: number) {
  await database.run(
    `CREATE TABLE changes (seq BIGINT, occurred_on DATE, entity_type VARCHAR, entity_id VARCHAR, key VARCHAR,
       op VARCHAR, data VARCHAR, schema_version VARCHAR)`,
  );
  const { version, datasets } = versions.inForce;
  let seq = before;
  const append = async (name: DatasetName, op: 'delete' | 'upsert', merged: readonly string[]) => {
    const dataset = datasets[name];
    seq += await database.run(
      `INSERT INTO changes SELECT ${seq} + row_number() OVER (ORDER BY ${columnList(dataset.key)}), $1::DATE,
         '${dataset.entityType}', ${entityIdSql(dataset)}, ${keySql(dataset)}, '${op}', ${op === 'upsert' ? lineSql(dataset) : 'NULL'},
         '${version}'
       FROM ${table('merged', name)} WHERE op IN (${merged.map(sqlText).join(', ')})
       ORDER BY ${columnList(dataset.key)}`,
      [day],
    );
  };
  for (const name of DELETE_ORDER) await append(name, 'delete', ['delete']);
  for (const name of UPSERT_ORDER) await append(name, 'upsert', ['upsert']);
  const lastChangeSeq = seq;
  for (const name of UPSERT_ORDER) {
    if (versions.renewed.includes(name)) await append(name, 'upsert', ['keep', 'idle', 'carry']);
  }
  return { lastChangeSeq, lastSeq: seq };
}

async function countRecords(database: Database) {
  const [records, previousRecords, deleted] = [emptyCounts(), emptyCounts(), emptyCounts()];
  for (const name of DATASET_NAMES) {
    const row = await database.row(
      { records: number, deleted: number, previous: number },
      `SELECT count(*) FILTER (op <> 'delete')::DOUBLE AS records, count(*) FILTER (op = 'delete')::DOUBLE AS deleted,
              (SELECT count(*) FROM ${table('previous', name)})::DOUBLE AS previous FROM ${table('merged', name)}`,
    );
    records[name] = row.records;
    deleted[name] = row.deleted;
    previousRecords[name] = row.previous;
  }
  return { records, previousRecords, deleted };
}

async function findUpstreams(database: Database): Promise<Diff['upstreams']> {
  const found = mapDatasets(() => new Set<string | null>());
  for (const name of DATASET_NAMES) {
    const upstream = DATASETS[name].columns.find(({ isUpstream }) => isUpstream)?.name ?? 'NULL::VARCHAR';
    const rows = await database.rows(
      { upstream: nullable(text) },
      `SELECT DISTINCT ${upstream} AS upstream FROM ${table('merged', name)}
       WHERE op <> 'delete' AND (${upstream} IS NOT NULL OR op = 'carry')`,
    );
    for (const row of rows) found[name].add(row.upstream);
  }
  return found;
}
