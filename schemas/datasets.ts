/**
 * The datasets: the one table from which DuckDB columns, zod schemas, canonical lines, OpenAPI components and
 * documentation derive (specification "Datasets"). Names are snake_case from source file to JSON.
 */

import type { JsonType, Modalities } from './json-columns.ts';
import type { Meter, Rate } from './rates.ts';

export type ColumnType =
  | 'id'
  | 'text'
  | 'text[]'
  | 'double'
  | 'integer'
  | 'bigint'
  | 'boolean'
  | 'date'
  | 'timestamp'
  | JsonType;

export interface Column {
  readonly name: string;
  readonly type: ColumnType;
  readonly nullable: boolean;
  readonly description: string;
  /** False for captured columns outside the published record. */
  readonly published: boolean;
  /** The published key, where a version renamed it (see `RECORD_VERSIONS`). */
  readonly publishedAs?: string;
  /** Both ends included; units as in the description. */
  readonly min?: number;
  readonly max?: number;
  /** The only values of a text. */
  readonly values?: readonly string[];
  /** What a text is: a regular expression that matches all of it (RE2 and ECMAScript), and its name. */
  readonly form?: { readonly pattern: string; readonly label: string };
  /** The price of a million of these tokens, which `rates` repeats. */
  readonly meter?: Meter;
  /** Value of an absent one. */
  readonly fallback?: string;
  /** Names the record's upstream; filled from a SELECT's `upstream`. */
  readonly isUpstream?: boolean;
  readonly references?: DatasetName;
  /** The minor version of the records that added it. */
  readonly addedIn?: string;
  /** Captured before that version too, outside the published record; releases keep it in `state/unpublished.parquet`. */
  readonly isStoredBefore?: boolean;
}

export interface Dataset {
  readonly name: DatasetName;
  /** Singular, as in "one record per …". */
  readonly grain: string;
  readonly key: readonly string[];
  /** Key columns first, in wire order. */
  readonly columns: readonly Column[];
  /** Null: not in the feed. */
  readonly entityType: EntityType | null;
}

/** No dataset refers to a later one. */
export const DATASET_NAMES = ['models', 'benchmarks', 'scores', 'rankings', 'pricing'] as const;
export type DatasetName = (typeof DATASET_NAMES)[number];

export const ENTITY_TYPES = ['model', 'score', 'ranking', 'pricing'] as const;
export type EntityType = (typeof ENTITY_TYPES)[number];

/** In characters (specification "Ids"). */
export const ID_LENGTH_MAX = 200;

type Extra = Pick<
  Column,
  'min' | 'max' | 'values' | 'form' | 'meter' | 'fallback' | 'references' | 'isUpstream' | 'isStoredBefore'
>;

/** Types of records derive from its name and type. */
type ColumnOf<Name extends string, Type extends ColumnType, IsNullable extends boolean> = Column & {
  readonly name: Name;
  readonly type: Type;
  readonly nullable: IsNullable;
  readonly published: true;
};

function required<const Name extends string, const Type extends ColumnType>(
  name: Name,
  type: Type,
  description: string,
  extra: Extra = {},
): ColumnOf<Name, Type, false> {
  return { name, type, nullable: false, published: true, description, ...extra };
}

function optional<const Name extends string, const Type extends ColumnType>(
  name: Name,
  type: Type,
  description: string,
  extra: Extra = {},
): ColumnOf<Name, Type, true> {
  return { name, type, nullable: true, published: true, description, ...extra };
}

function addedIn<const C extends Column>(version: string, column: C): C & { readonly addedIn: string } {
  return { ...column, addedIn: version };
}

const UPDATED_AT = required('updated_at', 'timestamp', 'When the content of this record last changed, UTC');
const UPSTREAM = addedIn(
  '1.1',
  optional('source', 'text', 'Upstream of this record: an id of GET /v1/sources', { isUpstream: true }),
);
const MODEL_STATUSES = ['active', 'preview', 'deprecated', 'retired'] as const;
const REPORTERS = ['maker', 'evaluator', 'third_party'] as const;
const PARTIAL_DATE = {
  pattern: '[0-9]{4}(-(0[1-9]|1[0-2])(-(0[1-9]|[12][0-9]|3[01]))?)?',
  label: 'YYYY, YYYY-MM or YYYY-MM-DD',
} as const;
const WEB_ADDRESS = { pattern: 'https?://[!-~]+', label: 'an address that begins with https:// or http://' } as const;
const MODEL_ID = required('model_id', 'id', 'The model', { references: 'models' });

const TABLE = {
  models: {
    name: 'models',
    grain: 'model',
    key: ['id'],
    entityType: 'model',
    columns: [
      required('id', 'id', 'Stable id of the model, case-sensitive'),
      required('name', 'text', 'Display name'),
      optional('organization', 'text', 'Who made the model'),
      optional('release_date', 'date', 'Day of the release'),
      optional('context_length', 'bigint', 'Longest context in tokens', { min: 0 }),
      optional('inference', 'text[]', 'Ids of the providers that serve the model, sorted'),
      UPSTREAM,
      addedIn('1.2', optional('status', 'text', 'Where it is in its life', { values: MODEL_STATUSES })),
      addedIn('1.2', optional('deprecated_on', 'date', 'Day from which its maker advises against it')),
      addedIn('1.2', optional('retires_on', 'date', 'Day from which its maker no longer serves it, past or planned')),
      addedIn('1.2', optional('replaced_by', 'id', 'Id of the model that its maker names as its successor')),
      addedIn('1.2', optional('max_output_tokens', 'bigint', 'Longest output in tokens', { min: 1 })),
      addedIn(
        '1.2',
        optional('knowledge_cutoff', 'text', 'Year, month or day up to which it was trained', { form: PARTIAL_DATE }),
      ),
      addedIn('1.2', optional('open_weights', 'boolean', 'Whether its weights can be downloaded')),
      addedIn('1.2', optional('modalities', 'modalities', 'What it takes and gives, as lists input and output')),
      addedIn('1.2', optional('capabilities', 'text[]', 'What it can do, such as tools or reasoning, sorted')),
      UPDATED_AT,
    ],
  },
  benchmarks: {
    name: 'benchmarks',
    grain: 'benchmark',
    key: ['id'],
    entityType: null,
    columns: [
      required('id', 'id', 'Stable id of the benchmark, case-sensitive'),
      required('name', 'text', 'Display name'),
      optional('category', 'text', 'What the benchmark measures'),
      required('model_count', 'bigint', 'Models with a score in this benchmark', { min: 0 }),
      UPDATED_AT,
    ],
  },
  scores: {
    name: 'scores',
    grain: 'model and benchmark',
    key: ['model_id', 'benchmark_id'],
    entityType: 'score',
    columns: [
      MODEL_ID,
      required('benchmark_id', 'id', 'The benchmark', { references: 'benchmarks' }),
      required('value', 'double', "The score, on the benchmark's own scale"),
      optional('source', 'text', 'Who measured: official, vendor, independent, community, or another name'),
      optional('measured_at', 'date', 'Day of the measurement'),
      addedIn('1.2', optional('stderr', 'double', "Standard error, on the score's scale", { min: 0 })),
      addedIn('1.2', optional('variant', 'text', 'How the model was run, such as its reasoning effort')),
      addedIn('1.2', optional('reported_by', 'text', 'Who published the score', { values: REPORTERS })),
      addedIn('1.2', optional('source_url', 'text', 'Where it was published', { form: WEB_ADDRESS })),
      UPDATED_AT,
      // Last: files of older releases are compared by position.
      addedIn('1.2', optional('n', 'bigint', 'Sample size', { min: 0, isStoredBefore: true })),
    ],
  },
  rankings: {
    name: 'rankings',
    grain: 'model and category',
    key: ['model_id', 'category'],
    entityType: 'ranking',
    columns: [
      MODEL_ID,
      required('category', 'id', 'The category that is ranked'),
      required('rank', 'integer', 'Position, 1 is best; ties share a position', { min: 1 }),
      optional('trueskill_mu', 'double', 'Estimated skill'),
      optional('trueskill_sigma', 'double', 'Uncertainty of the estimate', { min: 0 }),
      UPDATED_AT,
    ],
  },
  pricing: {
    name: 'pricing',
    grain: 'model and provider',
    key: ['model_id', 'provider'],
    entityType: 'pricing',
    columns: [
      MODEL_ID,
      required('provider', 'id', 'Provider that sells the model'),
      optional('input_per_million', 'double', 'Price of a million input tokens', { min: 0, meter: 'input' }),
      optional('output_per_million', 'double', 'Price of a million output tokens', { min: 0, meter: 'output' }),
      required('currency', 'text', 'ISO 4217 code', { fallback: 'USD' }),
      optional('effective_from', 'date', 'First day of this price'),
      UPSTREAM,
      addedIn('1.2', optional('rates', 'rates', 'Prices by meter and condition, sorted')),
      UPDATED_AT,
    ],
  },
} as const satisfies Readonly<Record<DatasetName, Dataset>>;

export const DATASETS: Readonly<Record<DatasetName, Dataset>> = TABLE;

type ColumnsOf<Name extends DatasetName> = (typeof TABLE)[Name]['columns'][number];
type PublishedColumn<Name extends DatasetName> = Extract<ColumnsOf<Name>, { readonly published: true }>;

interface ValueOf {
  readonly id: string;
  readonly text: string;
  readonly 'text[]': readonly string[];
  readonly double: number;
  readonly integer: number;
  readonly bigint: number;
  readonly boolean: boolean;
  readonly date: string;
  readonly timestamp: string;
  readonly rates: readonly Rate[];
  readonly modalities: Modalities;
}

/** In the newest version of the records. */
export type RecordOf<Name extends DatasetName> = {
  readonly [Field in PublishedColumn<Name> as Field['name']]:
    | ValueOf[Field['type']]
    | (Field['nullable'] extends true ? null : never);
};

export type AddedField<Name extends DatasetName> = Extract<PublishedColumn<Name>, { readonly addedIn: string }>['name'];

/** Datasets that refer to this one. */
export function childrenOf(parent: DatasetName): readonly { dataset: DatasetName; column: string }[] {
  return DATASET_NAMES.flatMap((dataset) =>
    DATASETS[dataset].columns
      .filter((column) => column.references === parent)
      .map((column) => ({ dataset, column: column.name })),
  );
}

/** In wire order. */
export function publishedColumns(dataset: Dataset): readonly Column[] {
  return dataset.columns.filter((column) => column.published);
}

export function publishedName(column: Column): string {
  return column.publishedAs ?? column.name;
}

/** All captured columns but the key and the time stamp: a difference in one is a change. */
export function contentColumns(dataset: Dataset): readonly Column[] {
  return dataset.columns.filter((column) => column.name !== 'updated_at' && !dataset.key.includes(column.name));
}

export function mapDatasets<T>(make: (name: DatasetName) => T): Readonly<Record<DatasetName, T>> {
  return {
    models: make('models'),
    benchmarks: make('benchmarks'),
    scores: make('scores'),
    rankings: make('rankings'),
    pricing: make('pricing'),
  };
}

/** One dataset after the other. */
export async function mapDatasetsSerially<T>(
  make: (name: DatasetName) => Promise<T>,
): Promise<Readonly<Record<DatasetName, T>>> {
  return {
    models: await make('models'),
    benchmarks: await make('benchmarks'),
    scores: await make('scores'),
    rankings: await make('rankings'),
    pricing: await make('pricing'),
  };
}
