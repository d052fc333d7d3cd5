/**
 * The oracle's reading of one source row (specification "Records and updated_at"; "Bad rows"): raw JSON in, typed values out.
 * Written apart from the pipeline on purpose; it shares nothing with it but the column table.
 */
import { type Column, type ColumnType, DATASETS, type DatasetName, ID_LENGTH_MAX } from '../../schemas/datasets.ts';
import { oracleColumns } from './columns.ts';

/** Dates and times are kept as the canonical text they are published as. */
export type Value = string | number | readonly string[] | null;
export type Values = Readonly<Record<string, Value>>;

export interface ReadRow {
  /** Undefined: a key column is not a valid id. */
  readonly key: readonly string[] | undefined;
  /** The record the row must have meant, by its trimmed ids; undefined where an id is absent, blank or no text. */
  readonly meantKey: readonly string[] | undefined;
  /** All captured columns; `updated_at` and `model_count` may still be null. */
  readonly values: Values;
  /** Whether a field, or the row itself, can't be read. */
  readonly isBad: boolean;
}

/** Columns that must not be null in a record, but may be in the source: the night fills them in. */
const FILLED_IN = ['updated_at', 'model_count'];
const RANK_MAX = 2 ** 31 - 1;
const NUMERIC_TEXT = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
/** Control characters but tab and line breaks, which real names hold. */
const UNPRINTABLE = /[^\P{Cc}\t\n\r\x7f-\x9f]/u;
const DATE_TEXT = /^\d{4}-\d{2}-\d{2}$/;
const TIMESTAMP_TEXT = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}(:\d{2}(\.\d+)?)?)(Z|[+-]\d{2}:?\d{2})?$/;

export function readRow(dataset: DatasetName, raw: unknown): ReadRow {
  const fields = isObject(raw) ? raw : {};
  const values: Record<string, Value> = {};
  const columns = oracleColumns(dataset);
  for (const column of columns) {
    const value = readField(column, fields[column.name]);
    if (value !== undefined) values[column.name] = value;
  }
  const { key } = DATASETS[dataset];
  const meantKey = texts(key, fields)?.map((part) => part.replace(/[^\P{Cc}\x80-\x9f]/gu, '').trim());
  const isBad = !isObject(raw) || Object.keys(values).length < columns.length;
  return { key: texts(key, values), meantKey: meantKey?.includes('') ? undefined : meantKey, values, isBad };
}

function texts(names: readonly string[], from: Readonly<Record<string, unknown>>): readonly string[] | undefined {
  const parts = names.flatMap((name) => (typeof from[name] === 'string' ? [from[name]] : []));
  return parts.length === names.length ? parts : undefined;
}

/** Undefined: not a value of this column. */
function readField(column: Column, raw: unknown): Value | undefined {
  if (raw === null || raw === undefined) {
    const isNullable = column.nullable || FILLED_IN.includes(column.name);
    return column.fallback ?? (isNullable ? null : undefined);
  }
  const value = READERS[column.type](raw);
  const isOutside =
    typeof value === 'number' && (value < (column.min ?? -Infinity) || value > (column.max ?? Infinity));
  return isOutside ? undefined : value;
}

/** Undefined: not a value of this type. */
const READERS: Readonly<Record<ColumnType, (raw: unknown) => Value | undefined>> = {
  id: (raw) => (typeof raw === 'string' && isId(raw) ? raw : undefined),
  text: (raw) => (typeof raw === 'string' && !UNPRINTABLE.test(raw) ? raw : undefined),
  'text[]': readList,
  double: readNumber,
  integer: (raw) => readInteger(raw, RANK_MAX),
  bigint: (raw) => readInteger(raw, Number.MAX_SAFE_INTEGER),
  boolean: isLater,
  date: (raw) => (typeof raw === 'string' && isDate(raw) ? raw : undefined),
  timestamp: (raw) => (typeof raw === 'string' ? readTimestamp(raw) : undefined),
  rates: isLater,
  modalities: isLater,
};

function isLater(): never {
  throw new Error('no column of the version that the oracle reads has this type');
}

function isId(text: string): boolean {
  const characters = [...text].length;
  return characters >= 1 && characters <= ID_LENGTH_MAX && text === text.trim() && !/\p{Cc}/u.test(text);
}

/** A text without any id in it is null, an array without any stays an empty array. */
function readList(raw: unknown): Value | undefined {
  const parts: unknown = typeof raw === 'string' ? raw.split(',') : raw;
  if (!Array.isArray(parts)) return undefined;
  const ids = new Set<string>();
  for (const part of parts) {
    if (typeof part !== 'string') return undefined;
    if (part.trim() !== '') ids.add(part.trim());
  }
  if (typeof raw === 'string' && ids.size === 0) return null;
  return [...ids].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
}

function readNumber(raw: unknown): number | undefined {
  const number = typeof raw === 'string' && NUMERIC_TEXT.test(raw.trim()) ? Number(raw) : raw;
  if (typeof number !== 'number' || !Number.isFinite(number)) return undefined;
  return number === 0 ? 0 : number; // -0 is 0
}

function readInteger(raw: unknown, max: number): number | undefined {
  const number = readNumber(raw);
  return number !== undefined && Number.isInteger(number) && Math.abs(number) <= max ? number : undefined;
}

function isDate(text: string): boolean {
  if (!DATE_TEXT.test(text) || text < '1970-01-01' || text > '2100-12-31') return false;
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text); // 02-30 would become 03-02
}

/** A time without a zone is UTC. */
function readTimestamp(text: string): string | undefined {
  const [, date, time, , , zone = 'Z'] = TIMESTAMP_TEXT.exec(text) ?? [];
  if (date === undefined || time === undefined || !isDate(date)) return undefined;
  const ms = Date.parse(`${date}T${time}${zone.replace(/(\d{2})(\d{2})$/, '$1:$2')}`);
  return Number.isNaN(ms) ? undefined : new Date(ms).toISOString().replace('.000Z', 'Z');
}

function isObject(raw: unknown): raw is Readonly<Record<string, unknown>> {
  return typeof raw === 'object' && raw !== null && !Array.isArray(raw);
}
