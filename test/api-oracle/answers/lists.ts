/** `/v1/models`, `/v1/benchmarks`, `/v1/scores`, `/v1/rankings` (specification "Lists"). */

import { type ApiState, type Expected, notFound } from '../expected.ts';
import { sortRecords } from '../order.ts';
import { QueryReader } from '../query-reader.ts';
import type { ApiRequest } from '../request.ts';
import type { WireRecord, World } from '../world.ts';
import { isKnownCategory } from './model-history.ts';

/** Default and greatest `limit` of each list. */
export const LIST_LIMITS = {
  models: { fallback: 50, max: 200 },
  benchmarks: { fallback: 50, max: 200 },
  scores: { fallback: 100, max: 500 },
  rankings: { fallback: 10, max: 50 },
} as const;

const MODEL_SORTS = ['id', 'name', 'release_date', 'context_length', 'updated_at'].flatMap((sort) => [
  sort,
  `-${sort}`,
]);
const SCORE_SORTS = ['model_id', 'value', '-value', '-measured_at'];

export function answerModels({ world }: ApiState, { query }: ApiRequest): Expected {
  const reader = new QueryReader(query);
  const limit = readLimit(reader, 'models');
  const q = reader.text('q')?.toLowerCase();
  const alias = reader.text('alias');
  const organization = reader.text('organization');
  const provider = reader.text('provider');
  const contextMin = reader.number('min_context');
  const releasedAfter = reader.text('released_after');
  const releasedBefore = reader.text('released_before');
  const inputMax = reader.number('max_input_price');
  const outputMax = reader.number('max_output_price');
  const sort = reader.oneOf('sort', MODEL_SORTS) ?? 'id';

  const affordable = new Set(
    world.current.pricing.filter((price) => isAffordable(price, inputMax, outputMax)).map((price) => price['model_id']),
  );
  const hasPriceFilter = inputMax !== undefined || outputMax !== undefined;
  const rows = world.current.models
    .filter((model) => q === undefined || textsOf(model, world).some((text) => text.toLowerCase().includes(q)))
    .filter((model) => alias === undefined || model['id'] === alias || namesOf(model, world).includes(alias))
    .filter((model) => organization === undefined || model['organization'] === organization)
    .filter((model) => provider === undefined || listOf(model, 'inference').includes(provider))
    .filter((model) => isAtLeast(model['context_length'], contextMin))
    .filter((model) => isAtLeast(model['release_date'], releasedAfter))
    .filter((model) => isAtMost(model['release_date'], releasedBefore))
    .filter((model) => !hasPriceFilter || affordable.has(model['id'] ?? null));
  return listOfRows('models', sortRecords('models', rows, sort), limit);
}

export function answerBenchmarks({ world }: ApiState, { query }: ApiRequest): Expected {
  const reader = new QueryReader(query);
  const limit = readLimit(reader, 'benchmarks');
  const category = reader.text('category');
  const rows = world.current.benchmarks.filter(
    (benchmark) => category === undefined || benchmark['category'] === category,
  );
  return listOfRows('benchmarks', rows, limit);
}

export function answerScores({ world }: ApiState, { query }: ApiRequest): Expected {
  const reader = new QueryReader(query);
  const limit = readLimit(reader, 'scores');
  const model = reader.text('model');
  const benchmark = reader.text('benchmark');
  const source = reader.text('source');
  const valueMin = reader.number('min_value');
  const valueMax = reader.number('max_value');
  const measuredAfter = reader.text('measured_after');
  const measuredBefore = reader.text('measured_before');
  const sort = reader.oneOf('sort', SCORE_SORTS) ?? 'model_id';

  const rows = world.current.scores
    .filter((score) => model === undefined || score['model_id'] === model)
    .filter((score) => benchmark === undefined || score['benchmark_id'] === benchmark)
    .filter((score) => source === undefined || score['source'] === source)
    .filter((score) => isAtLeast(score['value'], valueMin) && isAtMost(score['value'], valueMax))
    .filter((score) => isAtLeast(score['measured_at'], measuredAfter))
    .filter((score) => isAtMost(score['measured_at'], measuredBefore));
  return listOfRows('scores', sortRecords('scores', rows, sort), limit);
}

/** One category by rank, then model id; `limit` counts rows, so a tie may be cut. */
export function answerRankings({ world }: ApiState, { query }: ApiRequest): Expected {
  const reader = new QueryReader(query);
  const limit = readLimit(reader, 'rankings');
  const category = reader.text('category') ?? '';
  if (!isKnownCategory(world, category)) return notFound('category');
  const rows = world.current.rankings.filter((ranking) => ranking['category'] === category);
  return {
    ...listOfRows('rankings', sortRecords('rankings', rows, 'rank'), limit),
    envelope: { category, ranked_at: rankedAt(world), method: null, total: rows.length },
  };
}

/** The newest night with rankings that is not after the one since which they have been as they are. */
function rankedAt({ nights }: World): string | null {
  const hashOf = (night: World['nights'][number] | undefined) => night?.contents.rankings.contentSha256;
  const changed = nights.findLast((night, i) => hashOf(night) !== hashOf(nights[i - 1]));
  const captures = nights.filter(({ captured }) => captured.includes('rankings'));
  const brought = captures.findLast(({ day }) => day <= (changed?.day ?? '')) ?? captures[0];
  return brought?.dataAsOf ?? null;
}

function readLimit(reader: QueryReader, list: keyof typeof LIST_LIMITS): number {
  return reader.number('limit') ?? LIST_LIMITS[list].fallback;
}

function listOfRows(name: string, rows: readonly WireRecord[], limit: number) {
  return { kind: 'list', name, rows, limit, envelope: { total: rows.length } } as const;
}

/** Whether one price is within all bounds that were asked for; an unknown price is within none. */
function isAffordable(price: WireRecord, inputMax: number | undefined, outputMax: number | undefined): boolean {
  return isAtMost(price['input_per_million'], inputMax) && isAtMost(price['output_per_million'], outputMax);
}

/** Numbers by size, dates as text; null is never within a bound, and no bound holds everything. */
function isAtLeast(value: unknown, bound: string | number | undefined): boolean {
  return bound === undefined || (typeof value === 'string' || typeof value === 'number' ? value >= bound : false);
}

function isAtMost(value: unknown, bound: string | number | undefined): boolean {
  return bound === undefined || (typeof value === 'string' || typeof value === 'number' ? value <= bound : false);
}

/** Whatever a model is called: its id, its name, and its names at upstreams. */
function textsOf(model: WireRecord, world: World): readonly string[] {
  return [String(model['id']), String(model['name']), ...namesOf(model, world)];
}

function namesOf(model: WireRecord, { aliases }: World): readonly string[] {
  return aliases.filter(({ model_id }) => model_id === model['id']).map(({ id }) => id);
}

function listOf(record: WireRecord, name: string): readonly unknown[] {
  const list = record[name];
  return Array.isArray(list) ? list : [];
}
