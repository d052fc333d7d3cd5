/**
 * From text to typed columns, and the rules a row must keep (DESIGN §5 "check"). Both are SQL expressions over the raw
 * text `raw_<column>` and the typed value `<column>`, derived from the dataset table, so that a night reads each file once.
 */
import { type Column, type ColumnType, type Dataset, ID_LENGTH_MAX } from '../../schemas/datasets.ts';

/** A rule that a row may break; `sql` is true where it does. Its place in the list is its bit in `fault`. */
export interface RowRule {
  readonly column: string;
  readonly reason: string;
  readonly sql: string;
}

/** Largest integer that a JSON reader with doubles keeps exact. */
const INTEGER_MAX = Number.MAX_SAFE_INTEGER;
/** Dates outside these years are slips of a finger. */
const DATE_RANGE = ['1970-01-01', '2100-12-31'] as const;

const TYPED_SQL: Readonly<Record<ColumnType, (raw: string) => string>> = {
  id: (raw) => raw,
  text: (raw) => raw,
  'text[]': (raw) =>
    `CASE WHEN trim(${raw}) = '' THEN NULL ELSE list_sort(list_distinct(list_filter(list_transform(` +
    `CASE WHEN starts_with(${raw}, '[') THEN TRY(from_json(${raw}, '["VARCHAR"]')) ELSE string_split(${raw}, ',') END, ` +
    `lambda item: trim(item)), lambda item: item <> ''))) END`,
  double: (raw) => `TRY_CAST(${raw} AS DOUBLE) + 0.0`,
  integer: (raw) => integerSql(raw, 'INTEGER'),
  bigint: (raw) => integerSql(raw, 'BIGINT'),
  date: (raw) =>
    `CASE WHEN length(${raw}) = 10 OR ${raw} LIKE '__________ 00:00:00' THEN TRY_CAST(left(${raw}, 10) AS DATE) END`,
  // The first way reads no zone but Z and knows no calendar: a quarter of the time of the second, which reads them all.
  timestamp: (raw) =>
    `date_trunc('milliseconds', coalesce(CASE WHEN ends_with(${raw}, 'Z') THEN TRY_CAST(${raw} AS TIMESTAMP) END, ` +
    `CAST(TRY_CAST(${raw} AS TIMESTAMPTZ) AS TIMESTAMP)))`,
};

const TYPE_WORDS: Readonly<Record<ColumnType, string>> = {
  id: 'a text',
  text: 'a text',
  'text[]': 'a list of texts, or text with commas',
  double: 'a number',
  integer: 'a whole number',
  bigint: 'a whole number',
  date: 'a date YYYY-MM-DD',
  timestamp: 'a date-time YYYY-MM-DDTHH:MM:SSZ',
};

/** Columns whose absence the night itself makes good: see capture time and model count in DESIGN §4. */
const FILLED_LATER = new Set(['updated_at', 'model_count']);

function integerSql(raw: string, type: 'INTEGER' | 'BIGINT'): string {
  const number = `TRY_CAST(${raw} AS DOUBLE)`;
  return `CASE WHEN ${number} = trunc(${number}) AND abs(${number}) <= ${INTEGER_MAX} THEN TRY_CAST(${number} AS ${type}) END`;
}

/** `raw_x AS x, …`: the typed value of every column of the dataset. */
export function typedColumnsSql(dataset: Dataset): string {
  return dataset.columns
    .map(({ name, type, fallback }) => {
      const typed = TYPED_SQL[type](`raw_${name}`);
      return `${fallback === undefined ? typed : `coalesce(${typed}, '${fallback}')`} AS ${name}`;
    })
    .join(', ');
}

/** Every rule of a dataset's rows; at most 62, so that the bits fit a BIGINT. */
export function rowRules(dataset: Dataset): readonly RowRule[] {
  return dataset.columns.flatMap((column) => {
    const rule = (reason: string, sql: string): RowRule => ({ column: column.name, reason, sql });
    return [...presenceRules(column, rule), ...valueRules(column, rule), ...rangeRules(column, rule)];
  });
}

type MakeRule = (reason: string, sql: string) => RowRule;

function presenceRules({ name, nullable, fallback, type }: Column, rule: MakeRule): readonly RowRule[] {
  const mayBeAbsent = nullable || fallback !== undefined || FILLED_LATER.has(name);
  const unreadable = `raw_${name} IS NOT NULL AND ${name} IS NULL`;
  return [
    ...(mayBeAbsent ? [] : [rule('is missing', `raw_${name} IS NULL`)]),
    rule(`is not ${TYPE_WORDS[type]}`, type === 'text[]' ? `${unreadable} AND trim(raw_${name}) <> ''` : unreadable),
  ];
}

function valueRules({ name, type, nullable }: Column, rule: MakeRule): readonly RowRule[] {
  switch (type) {
    case 'id':
      return [
        rule(`is not 1 to ${ID_LENGTH_MAX} characters long`, `length(${name}) NOT BETWEEN 1 AND ${ID_LENGTH_MAX}`),
        rule('has white space around it', whiteSpaceAround(name)),
        rule('has control characters', controlCharacters(name)),
        rule('is not a text', nestedJson(name)),
      ];
    case 'text':
      return [
        ...(nullable ? [] : [rule('is empty', `trim(${name}) = ''`)]),
        rule('has control characters', controlCharacters(name)),
        rule('is not a text', nestedJson(name)),
      ];
    case 'text[]':
      return [rule('has control characters', controlCharacters(`raw_${name}`))];
    case 'double':
      return [rule('is not a finite number', `NOT isfinite(${name})`)];
    case 'date':
      return [rule('is not a plausible date', `${name} NOT BETWEEN '${DATE_RANGE[0]}' AND '${DATE_RANGE[1]}'`)];
    case 'timestamp':
      return [rule('is not a plausible date-time', `${name} NOT BETWEEN '${DATE_RANGE[0]}' AND '${DATE_RANGE[1]}'`)];
    case 'integer':
    case 'bigint':
      return [];
  }
}

function rangeRules({ name, min, max }: Column, rule: MakeRule): readonly RowRule[] {
  return [
    ...(min === undefined ? [] : [rule(`is less than ${min}`, `${name} < ${min}`)]),
    ...(max === undefined ? [] : [rule(`is more than ${max}`, `${name} > ${max}`)]),
  ];
}

const WHITE_SPACE = [`' '`, 'chr(9)', 'chr(10)', 'chr(13)', 'chr(160)'];

function whiteSpaceAround(name: string): string {
  return WHITE_SPACE.map((space) => `starts_with(${name}, ${space}) OR ends_with(${name}, ${space})`).join(' OR ');
}

/** Only what JSON escapes, or U+007F, is worth the regular expression, which takes three times as long. */
function controlCharacters(name: string): string {
  const isWorthALook = `strlen(to_json(${name})) > strlen(${name}) + 2 OR contains(${name}, chr(127))`;
  return `CASE WHEN ${isWorthALook} THEN regexp_matches(${name}, '[\\x00-\\x1f\\x7f]') ELSE false END`;
}

/** A JSON object or array where a text belongs arrives as its JSON text. */
function nestedJson(name: string): string {
  return `(starts_with(${name}, '{') OR starts_with(${name}, '[')) AND json_valid(${name})`;
}

/** The bits of all broken rules of a row. */
export function faultSql(rules: readonly RowRule[]): string {
  const bits = rules.map((rule, index) => `CASE WHEN ${rule.sql} THEN ${2 ** index} ELSE 0 END`);
  return `CAST(${bits.join(' + ')} AS BIGINT)`;
}

/** The bits of the rules of the key columns: with one of them set, nobody can tell which record the row is. */
export function keyFaultMask(dataset: Dataset, rules: readonly RowRule[]): number {
  return rules.reduce((mask, rule, index) => (dataset.key.includes(rule.column) ? mask + 2 ** index : mask), 0);
}
