import { z } from 'zod';
import {
  type Column,
  type ColumnType,
  DATASETS,
  type Dataset,
  type DatasetName,
  ID_LENGTH_MAX,
  publishedColumns,
  publishedName,
} from './datasets.ts';
import { JSON_FORMS, type Modalities } from './json-columns.ts';
import type { Rate } from './rates.ts';

/** The dataset's columns in wire order. */
export type PublishedRecord = Readonly<Record<string, PublishedValue | null>>;
export type PublishedValue = string | number | boolean | readonly string[] | readonly Rate[] | Modalities;

const VALUE_SCHEMAS: Readonly<Record<ColumnType, (column: Column) => z.ZodType>> = {
  id: () =>
    z
      .string()
      .min(1)
      .refine((id) => [...id].length <= ID_LENGTH_MAX, `over ${ID_LENGTH_MAX} characters`)
      .meta({ maxLength: ID_LENGTH_MAX }),
  // Closed sets stay open here: a client of today takes the values of tomorrow.
  text: ({ form }) => (form === undefined ? z.string() : z.string().regex(new RegExp(`^(?:${form.pattern})$`))),
  'text[]': () => z.array(z.string()),
  double: (column) => withRange(z.number(), column),
  integer: (column) => withRange(z.number().int(), column),
  bigint: (column) => withRange(z.number().int(), column),
  boolean: () => z.boolean(),
  date: () => z.iso.date(),
  timestamp: () => z.iso.datetime(),
  rates: () => JSON_FORMS.rates.schema,
  modalities: () => JSON_FORMS.modalities.schema,
};

function withRange(schema: z.ZodNumber, column: Column): z.ZodNumber {
  const low = column.min === undefined ? schema : schema.min(column.min);
  return column.max === undefined ? low : low.max(column.max);
}

export function columnSchema(column: Column): z.ZodType {
  const schema = VALUE_SCHEMAS[column.type](column);
  const { nullable, description, values } = column;
  const text = values === undefined ? description : `${description}: ${values.join(', ')}`;
  return (nullable ? schema.nullable() : schema).describe(text);
}

/**
 * Refuses unknown keys, so that a drift from the table shows.
 * @param publishedAs the dataset in another record version
 */
export function recordSchema(dataset: DatasetName, publishedAs: Dataset = DATASETS[dataset]): z.ZodObject {
  return z.strictObject(
    Object.fromEntries(publishedColumns(publishedAs).map((column) => [publishedName(column), columnSchema(column)])),
  );
}

/**
 * A record's canonical line, without the newline (specification "Canonical line"): keys in wire order, nulls written,
 * numbers in their shortest round-trip form (ECMAScript, RFC 8785).
 * @param record by column
 * @param publishedAs the dataset in another record version
 */
export function canonicalLine(
  dataset: DatasetName,
  record: PublishedRecord,
  publishedAs: Dataset = DATASETS[dataset],
): string {
  const fields = publishedColumns(publishedAs).map((column) => [publishedName(column), record[column.name] ?? null]);
  return JSON.stringify(Object.fromEntries(fields));
}
