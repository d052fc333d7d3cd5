/**
 * The tables `history_<kind>`: one row per interval. An interval that fills a column added by a later record version is split at the
 * first release in it, the cutover: before, the column is null, so responses about those days don't change (decision 0076).
 */
import type { Day } from '../../../runtime/day.ts';
import type { Catalog } from '../../../schemas/catalog.ts';
import type { Column, DatasetName } from '../../../schemas/datasets.ts';
import type { RecordVersion } from '../../../schemas/record-version.ts';
import { getVersion, storedColumns } from '../../../schemas/record-versions.ts';
import { type Database, recordsSql } from '../../../storage/duckdb/database.ts';
import { DUCKDB_TYPES, objectSql, wireSql } from '../../../storage/duckdb/record-sql.ts';
import { HISTORY_SOURCES, type HistoryKind, type HistorySource } from './history-kinds.ts';

/** Local Parquet files. */
export interface HistoryParts {
  /** The newest records, with `valid_from`. */
  readonly state: Readonly<Record<DatasetName, string>>;
  /** Intervals closed since the previous view, if any. */
  readonly closed: Readonly<Record<DatasetName, readonly string[]>>;
  /** Reconstructed price intervals. */
  readonly backfill: string | undefined;
}

export interface HistoriesInput {
  readonly parts: HistoryParts;
  /** Whether the previous view is attached as `prev`. */
  readonly hasPrevious: boolean;
  readonly cutovers: readonly Cutover[];
  /** Default: those that this program serves. */
  readonly histories?: Readonly<Record<HistoryKind, HistorySource>> | undefined;
}

/** A release in a new record version. */
export interface Cutover {
  readonly day: Day;
  readonly before: RecordVersion;
  readonly now: RecordVersion;
}

/** Oldest first. */
export function cutoversOf({ releases }: Pick<Catalog, 'releases'>, versions: readonly RecordVersion[]) {
  return releases.flatMap(({ day, schema_version: now }, index): readonly Cutover[] => {
    const before = releases[index - 1]?.schema_version ?? now;
    return before === now ? [] : [{ day, before: getVersion(versions, before), now: getVersion(versions, now) }];
  });
}

export async function createHistory(database: Database, kind: HistoryKind, input: HistoriesInput): Promise<void> {
  const { parts, hasPrevious, cutovers, histories = HISTORY_SOURCES } = input;
  const source = histories[kind];
  const { dataset } = source;
  const state = await recordsSql(database, dataset, parts.state[dataset.name]);
  const open = `SELECT *, NULL::DATE AS valid_to FROM (${state}) WHERE valid_from IS NOT NULL`;
  const selects = [intervalSql(source, splitSql(source, open, cutovers), 'capture')];
  const ended = parts.closed[dataset.name];
  if (ended.length > 0) {
    const relation = splitSql(source, await recordsSql(database, dataset, ended), cutovers);
    selects.push(intervalSql(source, relation, 'capture'));
  }
  if (kind === 'pricing' && parts.backfill !== undefined) {
    selects.push(
      intervalSql(source, splitSql(source, await recordsSql(database, dataset, [parts.backfill]), []), 'backfill'),
    );
  }
  if (hasPrevious) selects.push(`SELECT * FROM prev.history_${kind} WHERE has_ended AND source = 'capture'`);
  await database.run(
    `CREATE TABLE view.history_${kind} AS FROM (${selects.join(' UNION ALL ')})
     ORDER BY model_id, series, valid_from`,
  );
}

/**
 * Rows from a relation with the dataset's columns, `valid_from`, `valid_to` and `has_ended`: the next view reuses rows for which that
 * is true, all rows of closed intervals.
 */
function intervalSql({ model, series, value, payload }: HistorySource, relation: string, origin: string): string {
  return `SELECT ${model} AS model_id, ${series ?? `''`} AS series, valid_from, valid_to,
    ${value === null ? `'null'` : wireSql(value)} AS value, ${objectSql(payload)} AS payload, '${origin}' AS source, has_ended
    FROM (${relation})`;
}

/** Splits at the latest cutover first, so that columns emptied in the earlier part stay empty. */
function splitSql({ dataset, payload }: HistorySource, relation: string, cutovers: readonly Cutover[]): string {
  const whole = `SELECT *, valid_to IS NOT NULL AS has_ended FROM (${relation})`;
  return cutovers.toReversed().reduce((intervals, { day, before, now }) => {
    const [old, current] = [before, now].map((version) => storedColumns(dataset.name, version).map(({ name }) => name));
    const added = payload.filter(({ name }) => current?.includes(name) && !old?.includes(name));
    return added.length === 0 ? intervals : cutSql(intervals, day, added);
  }, whole);
}

/** Splits intervals that span the start of a day and fill an added column. */
function cutSql(relation: string, day: Day, added: readonly Column[]): string {
  const isFilled = added.map(({ name }) => `${name} IS NOT NULL`).join(' OR ');
  const isCut = `valid_from < DATE '${day}' AND coalesce(valid_to >= DATE '${day}', true) AND (${isFilled})`;
  const emptied = added.map(
    ({ name, type }) => `CASE part WHEN 'before' THEN NULL::${DUCKDB_TYPES[type]} ELSE ${name} END AS ${name}`,
  );
  return `SELECT * EXCLUDE (part) REPLACE (
      CASE part WHEN 'after' THEN DATE '${day}' ELSE valid_from END AS valid_from,
      CASE part WHEN 'before' THEN DATE '${day}' - 1 ELSE valid_to END AS valid_to, ${emptied.join(', ')})
    FROM (SELECT *, unnest(CASE WHEN ${isCut} THEN ['before', 'after'] ELSE ['whole'] END) AS part FROM (${relation}))`;
}
