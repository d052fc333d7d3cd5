/**
 * Replays a day's events on bytes, as a consumer would: walks three sorted files side by side, without DuckDB.
 *
 * As strong as comparing hashes after a replay: each of today's lines is, byte for byte, yesterday's next line or the
 * next event's data; vanished lines have an event; no event is left over; and new lines fit between their neighbours'
 * keys, so today is sorted if yesterday was. Memory is a few blocks.
 */

import { DATASET_NAMES, DATASETS, type Dataset, publishedColumns, publishedName } from '../../schemas/datasets.ts';
import { canonicalLine, type PublishedRecord } from '../../schemas/records.ts';
import { sqlText } from '../../storage/duckdb/database.ts';
import { columnList, sameKeySql } from '../../storage/duckdb/record-sql.ts';
import type { LineReader } from '../../storage/gzip-lines.ts';

export interface ReplayInput {
  /** Every line starts with these. */
  readonly key: readonly string[];
  /** Of the previous day; all files are in key order. */
  readonly before: LineReader;
  /** A line per event: its record's line up to the end of the key, a tab, and the new line if any. */
  readonly events: LineReader;
  readonly after: LineReader;
  /** Every record has an event: a version of the records takes effect. */
  readonly isRenewed: boolean;
}

/** Resolves to a fault, or undefined where `after` follows. */
export async function findReplayFault(input: ReplayInput): Promise<string | undefined> {
  let newKey: Buffer | undefined;
  for (;;) {
    if (!input.isRenewed && skipEqual(input.before, input.after)) newKey = undefined;
    const [old, now] = [await input.before.readLine(), await input.after.readLine()];
    if (!input.isRenewed && old !== undefined && now?.equals(old)) continue;
    const text = await input.events.readLine();
    if (text === undefined) return faultOfEnd(now ?? old);
    const event = eventFromText(text, old);
    const fault = faultOfEvent(event, now) ?? faultOfPlace(event, input, newKey);
    if (fault !== undefined) return `${fault}: ${show(text)}`;
    newKey = event.replaces === 0 ? Buffer.from(event.key) : undefined;
    input.before.skip(event.replaces);
    input.after.skip(event.adds);
    input.events.skip(text.length + 1);
  }
}

function faultOfEnd(left: Buffer | undefined): string | undefined {
  return left === undefined ? undefined : `no event explains ${show(left)}`;
}

/** Comparing blocks is far faster than finding lines, and most are unchanged. */
const BLOCK_BYTES = 4096;
const NEWLINE = 0x0a;
const TAB = 0x09;

/** False where the next lines differ. */
function skipEqual(before: LineReader, after: LineReader): boolean {
  for (let isSkipped = false; ; isSkipped = true) {
    const bytes = equalLines(before, after);
    if (bytes === 0) return isSkipped;
    before.skip(bytes);
    after.skip(bytes);
  }
}

/** With newlines; 0 where the next line differs. */
function equalLines(before: LineReader, after: LineReader): number {
  const [old, now] = [before.ahead, after.ahead];
  if (Math.min(old.length, now.length) >= BLOCK_BYTES && startsWith(old, now.subarray(0, BLOCK_BYTES))) {
    const bytes = now.subarray(0, BLOCK_BYTES).lastIndexOf(NEWLINE) + 1;
    if (bytes > 0) return bytes;
  }
  const { line } = after;
  return line !== undefined && before.line?.equals(line) ? line.length + 1 : 0;
}

interface ReplayedEvent {
  /** Its record's line up to the end of the key. */
  readonly key: Buffer;
  /** Empty for a delete. */
  readonly line: Buffer;
  /** Bytes of yesterday's line, with newline; 0 without one. */
  readonly replaces: number;
  /** Bytes of the new line, with newline. */
  readonly adds: number;
}

function eventFromText(text: Buffer, old: Buffer | undefined): ReplayedEvent {
  const tab = text.indexOf(TAB);
  const key = text.subarray(0, tab);
  const replaces = old !== undefined && startsWith(old, key) ? old.length + 1 : 0;
  const line = text.subarray(tab + 1);
  return { key, line, replaces, adds: line.length === 0 ? 0 : line.length + 1 };
}

function faultOfEvent({ key, line, replaces }: ReplayedEvent, now: Buffer | undefined): string | undefined {
  if (line.length === 0)
    return replaces > 0 ? undefined : 'an event deletes a record that does not exist, or is out of order';
  if (!startsWith(line, key)) return 'an event has the data of another record';
  return now?.equals(line) ? undefined : `${show(now)} is not the data of its event`;
}

/**
 * A new line belongs after the preceding one and before yesterday's next.
 * @param newKey of the preceding line if new: the events order those two
 */
function faultOfPlace(event: ReplayedEvent, input: ReplayInput, newKey: Buffer | undefined): string | undefined {
  if (event.replaces > 0) return undefined;
  const { key } = event;
  const [low, high] = [newKey === undefined ? input.after.last : undefined, input.before.line];
  const isInPlace =
    !newKey?.equals(key) &&
    (low === undefined || compareKeys(input.key, low, key) < 0) &&
    (high === undefined || compareKeys(input.key, key, high) < 0);
  return isInPlace ? undefined : 'a line is out of order';
}

/** Part by part, by UTF-8 bytes. */
function compareKeys(columns: readonly string[], left: Buffer, right: Buffer): number {
  const [leftKey, rightKey] = [keyFromLine(columns, left), keyFromLine(columns, right)];
  for (const [index, part] of leftKey.entries()) {
    const order = Buffer.compare(part, rightKey[index] ?? part);
    if (order !== 0) return order;
  }
  return 0;
}

/** From a line, or the start of one. */
function keyFromLine(columns: readonly string[], line: Buffer): readonly Buffer[] {
  const text = line.toString('utf8');
  const record: Readonly<Record<string, unknown>> = JSON.parse(text.endsWith(',') ? `${text.slice(0, -1)}}` : text);
  return columns.map((column) => Buffer.from(String(record[column]), 'utf8'));
}

function startsWith(line: Buffer, start: Buffer): boolean {
  return line.length >= start.length && line.compare(start, 0, start.length, 0, start.length) === 0;
}

function show(line: Buffer | string | undefined): string {
  if (line === undefined) return 'the end';
  return typeof line === 'string' ? line.slice(0, 300) : line.toString('utf8', 0, 300);
}

/** Relations as SQL. */
interface ReplayRelations {
  /** Yesterday's records: key columns and `line`. */
  readonly previous: string;
  /** Columns as in `changes.parquet`. */
  readonly changes: string;
}

/**
 * The previous snapshot's lines after a night's events (specification "Replay"), in key order. One row per record, one
 * column.
 */
export function replaySql(dataset: Dataset, { previous, changes }: ReplayRelations): string {
  const key = dataset.key.map((part) => `key ->> '$.${part}' AS ${part}`).join(', ');
  return `WITH touched AS (SELECT ${key}, op, data FROM (${changes}) WHERE entity_type = '${dataset.entityType}')
    SELECT line FROM (
      SELECT ${columnList(dataset.key)}, line FROM (${previous}) p
      WHERE NOT EXISTS (SELECT 1 FROM touched t WHERE ${sameKeySql(dataset, 't', 'p')})
      UNION ALL SELECT ${columnList(dataset.key)}, data AS line FROM touched WHERE op = 'upsert')
    ORDER BY ${columnList(dataset.key)}`;
}

/** Key columns and `line`. */
export function linesSql(dataset: Dataset, path: string): string {
  const key = dataset.key.map((part) => `line ->> '$.${part}' AS ${part}`).join(', ');
  return `SELECT ${key}, CAST(line AS VARCHAR) AS line FROM (
    SELECT json AS line FROM read_ndjson_objects(${sqlText(path)}, maximum_object_size = ${LINE_BYTES_MAX}))`;
}

/** For the first night. */
export function noLinesSql(dataset: Dataset): string {
  const columns = [...dataset.key, 'line'].map((name) => `CAST(NULL AS VARCHAR) AS ${name}`);
  return `SELECT ${columns.join(', ')} WHERE false`;
}

/** Far above any line we write. */
const LINE_BYTES_MAX = 64 * 1024 * 1024;

/**
 * Counts events with inconsistent names (specification "Change events"): `key` is canonical JSON, `entity_id` joins its
 * parts, an upsert's line starts with them. One row, one column `events`.
 * @param changes columns as in `changes.parquet`
 */
export function misnamedEventsSql(changes: string): string {
  const cases = DATASET_NAMES.map((name) => DATASETS[name]).flatMap((dataset) =>
    dataset.entityType === null ? [] : [`WHEN '${dataset.entityType}' THEN ${isWellNamedSql(dataset)}`],
  );
  return `SELECT count(*) FILTER (NOT coalesce(CASE WHEN json_valid(key) THEN CASE entity_type ${cases.join(' ')} END END, false))::DOUBLE
    AS events FROM ${changes}`;
}

function isWellNamedSql(dataset: Dataset): string {
  const parts = dataset.key.map((name) => `(key ->> '$.${name}')`);
  const members = dataset.key.map((name, index) => `'${index === 0 ? '{' : ','}"${name}":', to_json(${parts[index]})`);
  const line = `op = 'delete' OR starts_with(data, left(key, length(key) - 1) || ',')`;
  return `key = concat(${members.join(', ')}, '}') AND entity_id = ${parts.join(` || ':' || `)} AND (${line})`;
}

/** In one version of the records. */
interface DatasetLines {
  readonly dataset: Dataset;
  readonly lines: LineReader;
}

interface SameRecordsInput {
  readonly inForce: DatasetLines;
  readonly noticed: DatasetLines;
}

/**
 * Proves on the written lines that a noticed snapshot holds the records in force: before the cutover, no event leads to
 * it.
 *
 * Resolves to a fault, or undefined where each noticed line is canonical, in its version, for the record in force.
 * Fields unknown to the version in force are checked only for form.
 */
export async function findRecordFault({ inForce, noticed }: SameRecordsInput): Promise<string | undefined> {
  for (;;) {
    const old = (await inForce.lines.readLine())?.toString('utf8');
    const now = (await noticed.lines.readLine())?.toString('utf8');
    if (old === undefined && now === undefined) return undefined;
    if (old === undefined || now === undefined) return `${show(now)} is paired with ${show(old)}`;
    const columns = { ...columnsFromLine(noticed.dataset, now), ...columnsFromLine(inForce.dataset, old) };
    if (canonicalLine(noticed.dataset.name, columns, noticed.dataset) !== now) {
      return `${show(now)} is not the record of ${show(old)}`;
    }
    inForce.lines.skip(Buffer.byteLength(old) + 1);
    noticed.lines.skip(Buffer.byteLength(now) + 1);
  }
}

/** By column. */
function columnsFromLine(dataset: Dataset, line: string): PublishedRecord {
  const record: PublishedRecord = JSON.parse(line);
  return Object.fromEntries(
    publishedColumns(dataset).map((column) => [column.name, record[publishedName(column)] ?? null]),
  );
}
