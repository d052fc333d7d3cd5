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
    `CASE WHEN trim(${raw}) <> '' THEN list_sort(list_distinct(list_filter(list_transform(${itemsSql(raw)}, ` +
    `lambda item: trim(item)), lambda item: item <> ''))) END`,
  double: (raw) => `TRY_CAST(${raw} AS DOUBLE) + 0.0`,
  integer: (raw) => integerSql(raw, 'INTEGER'),
  bigint: (raw) => integerSql(raw, 'BIGINT'),
  date: (raw) =>
    `CASE WHEN length(${raw}) = 10 OR ${raw} LIKE '__________ 00:00:00' THEN TRY_CAST(left(${raw}, 10) AS DATE) END`,
  timestamp: (raw) => `date_trunc('milliseconds', CAST(TRY_CAST(${raw} AS TIMESTAMPTZ) AS TIMESTAMP))`,
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
export const FILLED_LATER: ReadonlySet<string> = new Set(['updated_at', 'model_count']);

/** The items of a JSON array of texts, or of a text with commas; NULL for any other JSON. */
function itemsSql(raw: string): string {
  const types = `list_transform(json_extract(${raw}, '$[*]'), lambda item: json_type(item))`;
  return (
    `CASE WHEN starts_with(${raw}, '[') ` +
    `THEN TRY(CASE WHEN list_count(list_filter(${types}, lambda type: type <> 'VARCHAR')) = 0 ` +
    `THEN from_json(${raw}, '["VARCHAR"]') END) ` +
    `WHEN NOT (${nestedJson(raw)}) THEN string_split(${raw}, ',') END`
  );
}

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

const MISSING = 'is missing';
const NOT_A_TEXT = 'is not a text';

type MakeRule = (reason: string, sql: string) => RowRule;

function presenceRules({ name, nullable, fallback, type }: Column, rule: MakeRule): readonly RowRule[] {
  const mayBeAbsent = nullable || fallback !== undefined || FILLED_LATER.has(name);
  const unreadable = `raw_${name} IS NOT NULL AND ${name} IS NULL`;
  return [
    ...(mayBeAbsent ? [] : [rule(MISSING, type === 'id' ? isBlank(`raw_${name}`) : `raw_${name} IS NULL`)]),
    rule(`is not ${TYPE_WORDS[type]}`, type === 'text[]' ? `${unreadable} AND trim(raw_${name}) <> ''` : unreadable),
  ];
}

function valueRules({ name, type, nullable }: Column, rule: MakeRule): readonly RowRule[] {
  switch (type) {
    case 'id':
      return [
        rule(`is longer than ${ID_LENGTH_MAX} characters`, `length(${name}) > ${ID_LENGTH_MAX}`),
        rule('has white space around it', `${name} <> trim(${name}, ${WHITE_SPACE})`),
        rule('has control characters', `regexp_matches(${name}, ${CONTROL})`),
        rule(NOT_A_TEXT, nestedJson(name)),
      ];
    case 'text':
      return [
        ...(nullable ? [] : [rule('is empty', `trim(${name}) = ''`)]),
        rule('has control characters', `regexp_matches(${name}, ${UNPRINTABLE})`),
        rule(NOT_A_TEXT, nestedJson(name)),
      ];
    case 'text[]':
      return [
        rule(
          'has control characters',
          `list_bool_or(list_transform(${name}, lambda item: regexp_matches(item, ${CONTROL})))`,
        ),
      ];
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

const CONTROL = `'[\\x00-\\x1f\\x7f]'`;
/** Control characters but tab and line breaks, which real names hold. */
const UNPRINTABLE = `'[\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f]'`;
/** What is trimmed from an id, as an SQL text. */
export const WHITE_SPACE = `' ' || chr(9) || chr(10) || chr(13) || chr(160)`;

/** An id that says nothing: CSV has no other way to leave one out. */
function isBlank(raw: string): string {
  return `${raw} IS NULL OR trim(${raw}, ${WHITE_SPACE}) = ''`;
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

/** The bits of the rules without which a key can't be read at all: nobody can tell which record the row meant. */
export function unreadableKeyMask(dataset: Dataset, rules: readonly RowRule[]): number {
  const isUnreadable = ({ column, reason }: RowRule) =>
    dataset.key.includes(column) && (reason === MISSING || reason === NOT_A_TEXT);
  return rules.reduce((mask, rule, index) => (isUnreadable(rule) ? mask + 2 ** index : mask), 0);
}
