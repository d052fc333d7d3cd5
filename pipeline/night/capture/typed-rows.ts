/**
 * Typed columns from text, and the rules for each row (specification "Bad rows"), as SQL over the raw text
 * `raw_<column>` and the typed value `<column>`.
 */
import { type Column, type ColumnType, type Dataset, ID_LENGTH_MAX } from '../../../schemas/datasets.ts';
import { isJsonType, JSON_FORMS, type JsonType } from '../../../schemas/json-columns.ts';
import { sqlText } from '../../../storage/duckdb/database.ts';

/** `sql` is true where a row breaks the rule. Its index in the list is its bit in `fault`. */
export interface RowRule {
  readonly column: string;
  /** A column that the value must agree with. */
  readonly other?: string;
  readonly reason: string;
  /** SQL of a reason that says what is wrong with this value, given its raw text; default: `reason`. */
  readonly reasonSql?: (raw: string) => string;
  readonly sql: string;
}

const INTEGER_MAX = Number.MAX_SAFE_INTEGER;
/** Dates outside these years are typing errors. */
const DATE_RANGE = ['1970-01-01', '2100-12-31'] as const;

const TYPED_SQL: Readonly<Record<ColumnType, (raw: string) => string>> = {
  id: (raw) => raw,
  text: (raw) => raw,
  'text[]': (raw) =>
    `CASE WHEN trim(${raw}) <> '' THEN list_sort(list_distinct(list_filter(list_transform(${itemsSql(raw)}, ` +
    `lambda item: trim(item)), lambda item: item <> ''))) END`,
  double: (raw) => `${numberSql(raw)} + 0.0`,
  integer: (raw) => integerSql(raw, 'INTEGER'),
  bigint: (raw) => integerSql(raw, 'BIGINT'),
  // DuckDB would read `yes` and `1` too.
  boolean: (raw) => `CASE ${raw} WHEN 'true' THEN true WHEN 'false' THEN false END`,
  date: (raw) =>
    `CASE WHEN ${raw} LIKE '____-__-__' OR ${raw} LIKE '____-__-__ 00:00:00' THEN TRY_CAST(left(${raw}, 10) AS DATE) END`,
  // The first cast, for zone Z only, takes a quarter of the time of the second.
  timestamp: (raw) =>
    `date_trunc('milliseconds', coalesce(CASE WHEN ends_with(${raw}, 'Z') THEN TRY_CAST(${raw} AS TIMESTAMP) END, ` +
    `CAST(TRY_CAST(${raw} AS TIMESTAMPTZ) AS TIMESTAMP)))`,
  rates: (raw) => canonicalJsonSql('rates', raw),
  modalities: (raw) => canonicalJsonSql('modalities', raw),
};

const TYPE_LABELS: Readonly<Record<ColumnType, string>> = {
  id: 'a text',
  text: 'a text',
  'text[]': 'a list of texts, or text with commas',
  double: 'a number',
  integer: 'a whole number that fits 32 bits',
  bigint: `a whole number up to ${INTEGER_MAX}`,
  boolean: 'true or false',
  date: 'a date YYYY-MM-DD',
  timestamp: 'a date-time YYYY-MM-DDTHH:MM:SSZ',
  rates: JSON_FORMS.rates.label,
  modalities: JSON_FORMS.modalities.label,
};

/** Where the source lacks them, the night fills these with the capture's time and the number of models with scores. */
export const FILLED_LATER: ReadonlySet<string> = new Set(['updated_at', 'model_count']);

/** NULL for JSON other than an array of texts. */
function itemsSql(raw: string): string {
  const types = `list_transform(json_extract(${raw}, '$[*]'), lambda item: json_type(item))`;
  return (
    `CASE WHEN starts_with(${raw}, '[') ` +
    `THEN TRY(CASE WHEN list_count(list_filter(${types}, lambda type: type <> 'VARCHAR')) = 0 ` +
    `THEN from_json(${raw}, '["VARCHAR"]') END) ` +
    `WHEN NOT (${nestedJson(raw)}) THEN string_split(${raw}, ',') END`
  );
}

/** Without the check DuckDB would also read `1_000`. */
function numberSql(raw: string): string {
  return `CASE WHEN NOT contains(${raw}, '_') THEN TRY_CAST(${raw} AS DOUBLE) END`;
}

function integerSql(raw: string, type: 'INTEGER' | 'BIGINT'): string {
  const number = numberSql(raw);
  return `CASE WHEN ${number} = trunc(${number}) AND abs(${number}) <= ${INTEGER_MAX} THEN TRY_CAST(${number} AS ${type}) END`;
}

/** `raw_x AS x, …` for every column. */
export function typedColumnsSql(dataset: Dataset): string {
  return dataset.columns
    .map(({ name, type, fallback }) => {
      const typed = TYPED_SQL[type](`raw_${name}`);
      return `${fallback === undefined ? typed : `coalesce(${typed}, '${fallback}')`} AS ${name}`;
    })
    .join(', ');
}

/** At most 62, so that the bits fit a BIGINT. */
export function rowRules(dataset: Dataset): readonly RowRule[] {
  const ofColumns = dataset.columns.flatMap((column) => {
    const rule = ruleOf(column);
    return [...presenceRules(column, rule), ...valueRules(column, rule), ...rangeRules(column, rule)];
  });
  return [...ofColumns, ...rateRules(dataset)];
}

function ruleOf({ name }: Column): MakeRule {
  return (reason, sql) => ({ column: name, reason, sql });
}

const MISSING = 'is missing';
const NOT_A_TEXT = 'is not a text';

type MakeRule = (reason: string, sql: string) => RowRule;

function presenceRules({ name, nullable, fallback, type }: Column, rule: MakeRule): readonly RowRule[] {
  const mayBeAbsent = nullable || fallback !== undefined || FILLED_LATER.has(name);
  const unreadable = `raw_${name} IS NOT NULL AND ${name} IS NULL`;
  if (isJsonType(type)) return [problemRule(name, type, rule)];
  return [
    ...(mayBeAbsent ? [] : [rule(MISSING, type === 'id' ? isBlank(`raw_${name}`) : `raw_${name} IS NULL`)]),
    rule(`is not ${TYPE_LABELS[type]}`, type === 'text[]' ? `${unreadable} AND trim(raw_${name}) <> ''` : unreadable),
  ];
}

function problemRule(name: string, type: JsonType, rule: MakeRule): RowRule {
  const reasonSql = (raw: string) => `${type}_problem(${raw})`;
  const sql = `CASE WHEN ${name} IS NULL AND trim(raw_${name}) <> '' THEN ${reasonSql(`raw_${name}`)} IS NOT NULL ELSE false END`;
  return { ...rule(`is not ${TYPE_LABELS[type]}`, sql), reasonSql };
}

function valueRules(column: Column, rule: MakeRule): readonly RowRule[] {
  const { name, type, nullable } = column;
  switch (type) {
    case 'id':
      return [
        rule(`is longer than ${ID_LENGTH_MAX} characters`, `length(${name}) > ${ID_LENGTH_MAX}`),
        rule('has white space around it', whiteSpaceAround(name)),
        rule('has control characters', controlCharacters(name, CONTROL)),
        rule(NOT_A_TEXT, nestedJson(name)),
      ];
    case 'text':
      return [
        ...(nullable ? [] : [rule('is empty', `trim(${name}) = ''`)]),
        rule('has control characters', controlCharacters(name, UNPRINTABLE)),
        rule(NOT_A_TEXT, nestedJson(name)),
        ...formRules(column, rule),
      ];
    case 'text[]':
      return [
        rule(
          'has control characters',
          `list_bool_or(list_transform(${name}, lambda item: ${controlCharacters('item', CONTROL)}))`,
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
    case 'boolean':
    case 'rates':
    case 'modalities':
      return [];
  }
}

function formRules({ name, values, form }: Column, rule: MakeRule): readonly RowRule[] {
  return [
    ...(values === undefined
      ? []
      : [rule(`is not one of ${values.join(', ')}`, `${name} NOT IN (${values.map(sqlText).join(', ')})`)]),
    ...(form === undefined
      ? []
      : [rule(`is not ${form.label}`, `NOT regexp_full_match(${name}, ${sqlText(form.pattern)})`)]),
  ];
}

/** Prices that `rates` repeats. The two may be computed in different ways, so the last digits may differ. */
function rateRules({ columns }: Dataset): readonly RowRule[] {
  if (!columns.some(({ type }) => type === 'rates')) return [];
  return columns.flatMap((column) => {
    const { name, meter } = column;
    if (meter === undefined) return [];
    const repeats = `contains(rates, '"meter":"${meter}","unit":"token","per":1000000,"price":' || es_number(${name}) || '}')`;
    // No price is below 0. The function computes it once, and only for what doesn't repeat the very digits: it is the dearest part.
    const differs = `abs(coalesce(${meter}_price(rates), -1) - coalesce(${name}, -1)) > 1e-9 * coalesce(${name}, 0)`;
    const sql = `CASE WHEN rates IS NULL OR ${repeats} THEN false ELSE ${differs} END`;
    const rule = ruleOf(column)(`is not the ${meter} rate without condition`, sql);
    return [{ ...rule, other: 'rates' }];
  });
}

function rangeRules({ name, min, max }: Column, rule: MakeRule): readonly RowRule[] {
  return [
    ...(min === undefined ? [] : [rule(`is less than ${min}`, `${name} < ${min}`)]),
    ...(max === undefined ? [] : [rule(`is more than ${max}`, `${name} > ${max}`)]),
  ];
}

const CONTROL = `'[\\x00-\\x1f\\x7f]'`;
/** Control characters except tab and line breaks, which real names contain. */
const UNPRINTABLE = `'[\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f]'`;
/** As ECMAScript's trim defines it. */
const WHITE_SPACE = `'${'\u0020\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff'}' || chr(9) || chr(10) || chr(11) || chr(12) || chr(13)`;

const ASCII_WHITE_SPACE = [32, 9, 10, 11, 12, 13] as const;

/** The id that a bad one probably stands for. */
export function cleanIdSql(name: string): string {
  return `trim(regexp_replace(${name}, ${CONTROL}, '', 'g'), ${WHITE_SPACE})`;
}

/** An empty id: CSV has no other form for a missing one. */
function isBlank(raw: string): string {
  const isCandidate = `unicode(${raw}) NOT BETWEEN 33 AND 126`;
  return `${raw} IS NULL OR CASE WHEN ${isCandidate} THEN trim(${raw}, ${WHITE_SPACE}) = '' ELSE false END`;
}

/**
 * The pre-check reads only the first or last bytes, or the length; taking the last character takes ten times as long.
 */
function whiteSpaceAround(name: string): string {
  const ends = ASCII_WHITE_SPACE.map((code) => `suffix(${name}, chr(${code}))`).join(' OR ');
  const isCandidate = `${name} < '!' OR strlen(${name}) <> length(${name}) OR ${ends}`;
  return `CASE WHEN ${isCandidate} THEN ${name} <> trim(${name}, ${WHITE_SPACE}) ELSE false END`;
}

/** The regular expression takes three times as long as the pre-check. */
function controlCharacters(name: string, expression: string): string {
  const isCandidate = `strlen(to_json(${name})) > strlen(${name}) + 2 OR contains(${name}, chr(127))`;
  return `CASE WHEN ${isCandidate} THEN regexp_matches(${name}, ${expression}) ELSE false END`;
}

/** A JSON object or array in place of a text arrives as JSON text. */
function nestedJson(name: string): string {
  return `(prefix(${name}, '{') OR prefix(${name}, '[')) AND json_valid(${name})`;
}

export function faultSql(rules: readonly RowRule[]): string {
  const bits = rules.map((rule, index) => `CASE WHEN ${rule.sql} THEN ${faultBit(index)} ELSE 0 END`);
  return `CAST(${bits.join(' + ')} AS BIGINT)`;
}

/** Of a rule, by its place; exact, which a number is only below 2^53. */
export function faultBit(index: number): bigint {
  return 1n << BigInt(index);
}

/** Without these, nobody knows which record the row is about. */
export function unreadableKeyMask(dataset: Dataset, rules: readonly RowRule[]): bigint {
  const isUnreadable = ({ column, reason }: RowRule) =>
    dataset.key.includes(column) && (reason === MISSING || reason === NOT_A_TEXT);
  return rules.reduce((mask, rule, index) => (isUnreadable(rule) ? mask | faultBit(index) : mask), 0n);
}

function canonicalJsonSql(type: JsonType, raw: string): string {
  return `CASE WHEN trim(${raw}) <> '' THEN canonical_${type}(${raw}) END`;
}
