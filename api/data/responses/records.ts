import { z } from 'zod';
import {
  type AddedField,
  DATASETS,
  type DatasetName,
  publishedColumns,
  publishedName,
  type RecordOf,
} from '../../../schemas/datasets.ts';
import type { RecordVersion } from '../../../schemas/record-version.ts';
import { columnSchema } from '../../../schemas/records.ts';

/** Fields added by a minor version are absent while the newest release is in an older one. */
type ResponseShape<Name extends DatasetName> = {
  readonly [Field in keyof RecordOf<Name>]: Field extends AddedField<Name>
    ? z.ZodOptional<z.ZodType<RecordOf<Name>[Field]>>
    : z.ZodType<RecordOf<Name>[Field]>;
};

/** The columns of fields, which a version may not publish or call by another name. */
const COLUMNS = z.registry<{ readonly dataset: DatasetName; readonly column: string }>();

/** A record in a response: as in the snapshots; minor versions may add keys (specification "Record versions"). */
function record<Name extends DatasetName>(
  dataset: Name,
  name: string,
): z.ZodObject<ResponseShape<Name>, z.core.$loose> {
  const fields = publishedColumns(DATASETS[dataset]).map((column) => {
    const schema = columnSchema(column);
    const field = column.addedIn === undefined ? schema : z.optional(schema);
    return [publishedName(column), field.register(COLUMNS, { dataset, column: column.name })] as const;
  });
  const shape = Object.fromEntries(fields) as unknown as ResponseShape<Name>; // Made of the table that the type derives from.
  return z.looseObject(shape).meta({ id: name, description: `One record per ${DATASETS[dataset].grain}` });
}

/** The name of a field of a record in a version; undefined if that lacks it. @param name if it is no dataset's own field */
export function publishedFieldOf(
  schema: z.ZodType,
  { name, version }: { readonly name: string; readonly version: Pick<RecordVersion, 'datasets'> },
): string | undefined {
  const known = COLUMNS.get(schema);
  if (known === undefined) return name;
  const column = publishedColumns(version.datasets[known.dataset]).find((each) => each.name === known.column);
  return column && publishedName(column);
}

export const ModelSchema = record('models', 'Model');
export const BenchmarkSchema = record('benchmarks', 'Benchmark');
export const ScoreSchema = record('scores', 'Score');
export const RankingSchema = record('rankings', 'Ranking');
export const PriceSchema = record('pricing', 'Price');

/** Example records, with values of June 2026. */

export const EXAMPLE_MODEL = {
  id: 'gpt-5.4-mini',
  name: 'GPT-5.4 mini',
  organization: 'openai',
  release_date: '2026-03-17',
  context_length: 400_000,
  inference: ['azure', 'openai', 'openrouter'],
  source: 'models-dev',
  status: null,
  deprecated_on: null,
  retires_on: null,
  replaced_by: null,
  max_output_tokens: 128_000,
  knowledge_cutoff: '2025-08-31',
  open_weights: false,
  modalities: { input: ['image', 'text'], output: ['text'] },
  capabilities: ['reasoning', 'structured_output', 'tools', 'vision'],
  updated_at: '2026-06-10T20:55:45Z',
};
export const EXAMPLE_BENCHMARK = {
  id: 'aider-polyglot--percent-correct',
  name: 'Aider Polyglot / percent correct',
  category: null,
  model_count: 31,
  updated_at: '2026-06-04T23:30:39Z',
};
export const EXAMPLE_SCORE = {
  model_id: 'gpt-5',
  benchmark_id: 'aider-polyglot--percent-correct',
  value: 88,
  source: 'https://aider.chat/docs/leaderboards/',
  measured_at: '2025-08-23',
  stderr: null,
  variant: 'high',
  reported_by: 'evaluator',
  source_url: 'https://aider.chat/docs/leaderboards/',
  updated_at: '2026-06-04T23:30:39Z',
  n: 225,
};
export const EXAMPLE_RANKINGS = [
  {
    model_id: 'claude-fable-5',
    category: 'text',
    rank: 1,
    trueskill_mu: 1508,
    trueskill_sigma: 4.5918,
    updated_at: '2026-06-17T06:47:47Z',
  },
  {
    model_id: 'claude-opus-4-6-thinking',
    category: 'text',
    rank: 2,
    trueskill_mu: 1503,
    trueskill_sigma: 2.0408,
    updated_at: '2026-06-29T06:21:06Z',
  },
] as const;
export const EXAMPLE_PRICE = {
  model_id: 'gpt-5.4-mini',
  provider: 'openai',
  input_per_million: 0.75,
  output_per_million: 4.5,
  currency: 'USD',
  effective_from: '2026-03-17',
  source: 'models-dev',
  rates: [
    { meter: 'cache_read', unit: 'token', per: 1_000_000, price: 0.075 },
    { meter: 'cache_read', unit: 'token', per: 1_000_000, price: 0.15, when: { tier: 'priority' } },
    { meter: 'input', unit: 'token', per: 1_000_000, price: 0.75 },
    { meter: 'input', unit: 'token', per: 1_000_000, price: 1.5, when: { tier: 'priority' } },
    { meter: 'output', unit: 'token', per: 1_000_000, price: 4.5 },
    { meter: 'output', unit: 'token', per: 1_000_000, price: 9, when: { tier: 'priority' } },
  ],
  updated_at: '2026-03-17T19:51:31Z',
};
