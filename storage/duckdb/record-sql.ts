import { type Column, type ColumnType, type Dataset, publishedColumns, publishedName } from '../../schemas/datasets.ts';

/**
 * Records as DuckDB sees them: column types, the canonical line and the entity id as SQL expressions. They derive from
 * `schemas/datasets.ts` and give byte for byte what `canonicalLine` and `entityIdFromKey` give in TypeScript.
 */

export const DUCKDB_TYPES: Readonly<Record<ColumnType, string>> = {
  id: 'VARCHAR',
  text: 'VARCHAR',
  'text[]': 'VARCHAR[]',
  double: 'DOUBLE',
  integer: 'INTEGER',
  bigint: 'BIGINT',
  date: 'DATE',
  timestamp: 'TIMESTAMP',
};

/**
 * A DOUBLE as text that reads back as the same number, in its shortest digits. Not by CAST, which gives other digits for some few
 * numbers: twice 2^81 for 2^81, and `A.070116948172427e+242` for 8.535058474086213e242.
 */
export function doubleTextSql(value: string): string {
  return `CAST(to_json(${value}) AS VARCHAR)`;
}

/** A DOUBLE as ECMAScript prints it; `v` must be finite. DuckDB's JSON writer differs in `100.0`, `1e22` and the sign of zero. */
const ES_NUMBER_MACRO = `
CREATE OR REPLACE TEMP MACRO es_number(v) AS CASE
  WHEN v = 0 THEN '0'
  WHEN v = trunc(v) AND abs(v) < 1e15 THEN CAST(CAST(v AS BIGINT) AS VARCHAR)
  WHEN abs(v) >= 1e-4 AND abs(v) < 1e15 THEN ${doubleTextSql('v')}
  ELSE es_number_rare(${doubleTextSql('v')}) END`;

/** The rare shapes of {@link ES_NUMBER_MACRO}: a text with an exponent, or an integer of sixteen digits. */
const ES_NUMBER_RARE_MACRO = `
CREATE OR REPLACE TEMP MACRO es_number_rare(t) AS
  regexp_replace(regexp_replace(t, '\\.0$', ''), 'e([0-9])', 'e+\\1')`;

/** Every macro that the expressions below need, in the order in which they build on each other. */
export const RECORD_MACROS: readonly string[] = [ES_NUMBER_RARE_MACRO, ES_NUMBER_MACRO];

const WIRE_SQL: Readonly<Record<ColumnType, (name: string) => string>> = {
  id: (name) => `CAST(to_json(${name}) AS VARCHAR)`,
  text: (name) => `CAST(to_json(${name}) AS VARCHAR)`,
  'text[]': (name) => `CAST(to_json(${name}) AS VARCHAR)`,
  double: (name) => `es_number(${name})`,
  integer: (name) => `CAST(${name} AS VARCHAR)`,
  bigint: (name) => `CAST(${name} AS VARCHAR)`,
  date: (name) => `'"' || CAST(${name} AS VARCHAR) || '"'`,
  timestamp: (name) =>
    `CASE WHEN epoch_us(${name}) % 1000000 = 0 THEN strftime(${name}, '"%Y-%m-%dT%H:%M:%SZ"') ` +
    `ELSE strftime(${name}, '"%Y-%m-%dT%H:%M:%S.%gZ"') END`,
};

/** `name TYPE, …` of the dataset's captured columns, for CREATE TABLE and for reading. */
export function columnDefinitions(dataset: Dataset): string {
  return dataset.columns.map(({ name, type }) => `${name} ${DUCKDB_TYPES[type]}`).join(', ');
}

/** The names of columns, comma-separated, each behind a table's alias where one is given. */
export function columnList(columns: readonly (Column | string)[], alias?: string): string {
  const prefix = alias === undefined ? '' : `${alias}.`;
  return columns.map((column) => prefix + (typeof column === 'string' ? column : column.name)).join(', ');
}

/**
 * The canonical line of a row, without the newline (specification "Canonical line"), in the version of the records that the
 * dataset is of.
 */
export function lineSql(dataset: Dataset, alias?: string): string {
  return objectSql(publishedColumns(dataset), alias);
}

/**
 * Columns of a row as JSON text, in wire form. One `concat`, because each `||` would copy the text so far; it passes
 * over NULL, which the columns that aren't nullable never hold.
 */
export function objectSql(columns: readonly Column[], alias?: string): string {
  const parts = columns.map((column, index) => {
    const text = `'${index === 0 ? '{' : ','}"${publishedName(column)}":', `;
    return text + wireSql(column, alias);
  });
  return `concat(${parts.join(', ')}, '}')`;
}

/** A column as JSON text, in wire form; NULL as `null`. */
export function wireSql(column: Column, alias?: string): string {
  const wire = WIRE_SQL[column.type](alias === undefined ? column.name : `${alias}.${column.name}`);
  return column.nullable ? `coalesce(${wire}, 'null')` : wire;
}

/** The entity id of a row, as `entityIdFromKey` gives it. */
export function entityIdSql(dataset: Dataset, alias?: string): string {
  const prefix = alias === undefined ? '' : `${alias}.`;
  return dataset.key.map((part) => prefix + part).join(` || ':' || `);
}

/** The parts of a row's key by name as JSON text: how its line starts, closed behind the key. */
export function keySql(dataset: Dataset, alias?: string): string {
  return objectSql(
    dataset.columns.filter(({ name }) => dataset.key.includes(name)),
    alias,
  );
}

/** `a.k1 = b.k1 AND …`: two rows have the same key. */
export function sameKeySql(dataset: Dataset, left: string, right: string): string {
  return dataset.key.map((part) => `${left}.${part} = ${right}.${part}`).join(' AND ');
}
