import { type Column, type ColumnType, type Dataset, publishedColumns, publishedName } from '../../schemas/datasets.ts';

/**
 * Column types, canonical line and entity id as SQL, derived from `schemas/datasets.ts`. They give the same bytes as
 * `canonicalLine` and `entityIdFromKey`.
 */

export const DUCKDB_TYPES: Readonly<Record<ColumnType, string>> = {
  id: 'VARCHAR',
  text: 'VARCHAR',
  'text[]': 'VARCHAR[]',
  double: 'DOUBLE',
  integer: 'INTEGER',
  bigint: 'BIGINT',
  boolean: 'BOOLEAN',
  date: 'DATE',
  timestamp: 'TIMESTAMP',
  // As JSON text in its one form, so that equal values are equal texts.
  rates: 'VARCHAR',
  modalities: 'VARCHAR',
};

/**
 * A DOUBLE in its shortest digits. Not by CAST, which gives wrong digits for a few numbers: twice 2^81 for 2^81, and
 * `A.070116948172427e+242` for 8.535058474086213e242.
 */
export function doubleTextSql(value: string): string {
  return `CAST(to_json(${value}) AS VARCHAR)`;
}

/** A finite DOUBLE as ECMAScript prints it. DuckDB's JSON writer differs for `100.0`, `1e22` and the sign of zero. */
const ES_NUMBER_MACRO = `
CREATE OR REPLACE TEMP MACRO es_number(v) AS CASE
  WHEN v = 0 THEN '0'
  WHEN v = trunc(v) AND abs(v) < 1e15 THEN CAST(CAST(v AS BIGINT) AS VARCHAR)
  WHEN abs(v) >= 1e-4 AND abs(v) < 1e15 THEN ${doubleTextSql('v')}
  ELSE es_number_rare(${doubleTextSql('v')}) END`;

/** Texts with an exponent, and integers of sixteen digits. */
const ES_NUMBER_RARE_MACRO = `
CREATE OR REPLACE TEMP MACRO es_number_rare(t) AS
  regexp_replace(regexp_replace(t, '\\.0$', ''), 'e([0-9])', 'e+\\1')`;

/** In the order in which they build on each other. */
export const RECORD_MACROS: readonly string[] = [ES_NUMBER_RARE_MACRO, ES_NUMBER_MACRO];

const WIRE_SQL: Readonly<Record<ColumnType, (name: string) => string>> = {
  id: (name) => `CAST(to_json(${name}) AS VARCHAR)`,
  text: (name) => `CAST(to_json(${name}) AS VARCHAR)`,
  'text[]': (name) => `CAST(to_json(${name}) AS VARCHAR)`,
  double: (name) => `es_number(${name})`,
  integer: (name) => `CAST(${name} AS VARCHAR)`,
  bigint: (name) => `CAST(${name} AS VARCHAR)`,
  boolean: (name) => `CAST(${name} AS VARCHAR)`,
  date: (name) => `'"' || CAST(${name} AS VARCHAR) || '"'`,
  timestamp: (name) =>
    `CASE WHEN epoch_us(${name}) % 1000000 = 0 THEN strftime(${name}, '"%Y-%m-%dT%H:%M:%SZ"') ` +
    `ELSE strftime(${name}, '"%Y-%m-%dT%H:%M:%S.%gZ"') END`,
  rates: (name) => name,
  modalities: (name) => name,
};

export function columnDefinitions(dataset: Dataset): string {
  return dataset.columns.map(({ name, type }) => `${name} ${DUCKDB_TYPES[type]}`).join(', ');
}

export function columnList(columns: readonly (Column | string)[], alias?: string): string {
  const prefix = alias === undefined ? '' : `${alias}.`;
  return columns.map((column) => prefix + (typeof column === 'string' ? column : column.name)).join(', ');
}

/** The canonical line without its newline (specification "Canonical line"). */
export function lineSql(dataset: Dataset, alias?: string): string {
  return objectSql(publishedColumns(dataset), alias);
}

/**
 * Columns as a JSON object in wire form. One `concat`, because each `||` would copy the text; it skips NULL, which
 * non-nullable columns never hold.
 */
export function objectSql(columns: readonly Column[], alias?: string): string {
  const parts = columns.map((column, index) => {
    const text = `'${index === 0 ? '{' : ','}"${publishedName(column)}":', `;
    return text + wireSql(column, alias);
  });
  return `concat(${parts.join(', ')}, '}')`;
}

/** A column as JSON; NULL as `null`. */
export function wireSql(column: Column, alias?: string): string {
  const wire = WIRE_SQL[column.type](alias === undefined ? column.name : `${alias}.${column.name}`);
  return column.nullable ? `coalesce(${wire}, 'null')` : wire;
}

export function entityIdSql(dataset: Dataset, alias?: string): string {
  const prefix = alias === undefined ? '' : `${alias}.`;
  return dataset.key.map((part) => prefix + part).join(` || ':' || `);
}

/** The key's columns as a JSON object: the start of the line, closed after the key. */
export function keySql(dataset: Dataset, alias?: string): string {
  return objectSql(
    dataset.columns.filter(({ name }) => dataset.key.includes(name)),
    alias,
  );
}

/** `a.k1 = b.k1 AND …` */
export function sameKeySql(dataset: Dataset, left: string, right: string): string {
  return dataset.key.map((part) => `${left}.${part} = ${right}.${part}`).join(' AND ');
}
