/**
 * The intervals of records, as SQL. An interval that fills a column added by a later record version is split at the first release in
 * it, the cutover: before, the column is null, so responses about those days don't change (decision 0076).
 */
import type { Day } from '../../../runtime/day.ts';
import type { Catalog } from '../../../schemas/catalog.ts';
import type { Column } from '../../../schemas/datasets.ts';
import type { RecordVersion } from '../../../schemas/record-version.ts';
import { getVersion, storedColumns } from '../../../schemas/record-versions.ts';
import { type Database, recordsSql } from '../../../storage/duckdb/database.ts';
import { DUCKDB_TYPES, objectSql, wireSql } from '../../../storage/duckdb/record-sql.ts';
import { type HistorySource, isOptionalInPayload } from '../history-kinds.ts';
import type { HistoryParts } from './view-parts.ts';

/** A release in another record version than the one before it. */
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

export interface CapturedInput {
  readonly parts: HistoryParts;
  readonly cutovers: readonly Cutover[];
  /** Only open intervals that began later; undefined: all. */
  readonly since: Day | undefined;
}

/** A SELECT of open and closed intervals: `model_id, series, valid_from, valid_to, value, payload`; `valid_to` is NULL while open. */
export async function captured(
  database: Database,
  source: HistorySource,
  { parts, cutovers, since }: CapturedInput,
): Promise<string> {
  const { dataset } = source;
  const state = await recordsSql(database, dataset, parts.state[dataset.name]);
  const began = since === undefined ? 'valid_from IS NOT NULL' : `valid_from > DATE '${since}'`;
  const selects = [
    intervalSql(source, splitSql(source, `SELECT *, NULL::DATE AS valid_to FROM (${state}) WHERE ${began}`, cutovers)),
  ];
  const ended = parts.closed[dataset.name];
  if (ended.length > 0) {
    const relation = splitSql(source, await recordsSql(database, dataset, ended), cutovers);
    selects.push(intervalSql(source, relation));
  }
  return selects.join(' UNION ALL ');
}

/** The same of reconstructed prices in a Parquet file. */
export async function reconstructed(database: Database, source: HistorySource, path: string): Promise<string> {
  return intervalSql(source, await recordsSql(database, source.dataset, [path]));
}

function intervalSql({ model, series, value, payload }: HistorySource, relation: string): string {
  return `SELECT ${model} AS model_id, ${series ?? `''`} AS series, valid_from, valid_to,
    ${value === null ? `'null'` : wireSql(value)} AS value, ${payloadSql(payload)} AS payload FROM (${relation})`;
}

/** As JSON. */
function payloadSql(columns: readonly Column[]): string {
  const always = objectSql(columns.filter((column) => !isOptionalInPayload(column)));
  const optional = columns.filter(isOptionalInPayload);
  if (optional.length === 0) return always;
  const fields = optional.map(
    (column) => `if(${column.name} IS NULL, '', concat(',"${column.name}":', ${wireSql(column)}))`,
  );
  return `concat(left(${always}, -1), ${fields.join(', ')}, '}')`;
}

/** Splits at the latest cutover first, so that columns emptied in the earlier part stay empty. */
function splitSql({ dataset, payload }: HistorySource, relation: string, cutovers: readonly Cutover[]): string {
  return cutovers.toReversed().reduce((intervals, { day, before, now }) => {
    const [old, current] = [before, now].map((version) => storedColumns(dataset.name, version).map(({ name }) => name));
    const added = payload.filter(({ name }) => current?.includes(name) && !old?.includes(name));
    return added.length === 0 ? intervals : cutSql(intervals, day, added);
  }, relation);
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
