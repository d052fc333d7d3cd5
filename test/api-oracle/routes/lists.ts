/** `/v1/models`, `/v1/benchmarks`, `/v1/scores`, `/v1/rankings`, `/v1/pricing`, `/v1/lifecycle` (specification "Lists"). */

import { addDays } from '../../../runtime/day.ts';
import { pickId, pickModel, pickSome, pickValue } from '../asking/asking.ts';
import { type ApiState, type Expected, notFound } from '../expected.ts';
import { sortRecords } from '../order.ts';
import { isKnownCategory, isKnownModel, numberOf, oneOf } from '../reading.ts';
import type { Asked, Asking, Parameters } from '../route.ts';
import type { WireRecord, World } from '../world.ts';

/** Default and greatest `limit` of each list. */
const LISTS = {
  models: { fallback: 50, max: 200, response: modelsResponse },
  benchmarks: { fallback: 50, max: 200, response: benchmarksResponse },
  scores: { fallback: 100, max: 500, response: scoresResponse },
  rankings: { fallback: 10, max: 50, response: rankingsResponse },
  pricing: { fallback: 100, max: 500, response: pricingResponse },
  lifecycle: { fallback: 100, max: 500, response: lifecycleResponse },
} as const;
type List = keyof typeof LISTS;

const MODEL_COLUMNS = ['id', 'name', 'release_date', 'context_length', 'updated_at'];
const MODEL_SORTS = MODEL_COLUMNS.flatMap((sort) => [sort, `-${sort}`]);
const SCORE_SORTS = ['model_id', 'value', '-value', '-measured_at'];
const PRICE_SORTS = ['model_id', 'price', '-price', '-updated_at'];
/** The meters that records before version 1.2 have. */
const PRICE_COLUMNS: Readonly<Record<string, string>> = { input: 'input_per_million', output: 'output_per_million' };
/** Pages that one list may take, so that a long list isn't read one by one. */
const PAGES_MAX = 15;

export function modelsResponse({ world }: ApiState, { query }: Asked): Expected {
  const { q, alias, organization, provider, released_after: after, released_before: before } = query;
  const contextMin = numberOf(query, 'min_context');
  const [inputMax, outputMax] = [numberOf(query, 'max_input_price'), numberOf(query, 'max_output_price')];
  const hasPriceFilter = inputMax !== undefined || outputMax !== undefined;
  const affordable = new Set(
    world.current.pricing
      .filter((price) => isWithin(price['input_per_million'], { max: inputMax }))
      .filter((price) => isWithin(price['output_per_million'], { max: outputMax }))
      .map((price) => price['model_id']),
  );
  const isIn = (text: string) => lowered(text).includes(lowered(q ?? ''));
  const rows = world.current.models
    .filter((model) => q === undefined || textsOf(model, world).some(isIn))
    .filter((model) => alias === undefined || model['id'] === alias || namesOf(model, world).includes(alias))
    .filter((model) => organization === undefined || model['organization'] === organization)
    .filter((model) => provider === undefined || listOf(model, 'inference').includes(provider))
    .filter((model) => isWithin(model['context_length'], { min: contextMin }))
    .filter((model) => isWithin(model['release_date'], { min: after, max: before }))
    .filter((model) => !hasPriceFilter || affordable.has(model['id'] ?? null));
  if (query['sort'] === 'relevance') return modelsByRelevance(rows, world, query);
  return listOfRows('models', sortRecords('models', rows, oneOf(query['sort'], MODEL_SORTS) ?? 'id'), query);
}

function modelsByRelevance(rows: readonly WireRecord[], world: World, query: Parameters): Expected {
  const { q } = query;
  if (q === undefined) return { kind: 'invalid', problems: [{ loc: ['query', 'sort'], type: 'value_error' }] };
  const places = new Map(rows.map((row) => [row, relevancePlace(row, world, q)]));
  const placeOf = (row: WireRecord) => places.get(row) ?? [];
  // The rows come by id.
  return listOfRows(
    'models',
    [...rows].sort((a, b) => comparePlaces(placeOf(a), placeOf(b))),
    query,
  );
}

/** Where a model stands in the order by relevance, before its id: how it has the text, how many serve it, its best rank. */
export function relevancePlace(model: WireRecord, world: World, q: string): readonly number[] {
  const part = lowered(q);
  const ranks = world.current.rankings
    .filter((row) => row['model_id'] === model['id'])
    .map((row) => Number(row['rank']));
  const tiers = textsOf(model, world).map((text) => tierIn(lowered(text), part));
  return [Math.min(...tiers), -new Set(listOf(model, 'inference')).size, Math.min(...ranks)];
}

/** 0: the text is the part; 1: it begins with it; 2: a word does; 3: it has it; 4: it has not. */
function tierIn(text: string, part: string): number {
  if (text === part) return 0;
  if (text.startsWith(part)) return 1;
  const before = Array.from({ length: text.length }, (_, at) => at).filter((at) => text.startsWith(part, at));
  if (before.some((at) => !/[\p{L}\p{M}\p{N}]$/u.test(text.slice(0, at)))) return 2;
  return before.length > 0 ? 3 : 4;
}

export function comparePlaces(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((value, i) => value !== b[i]);
  if (at === -1) return 0;
  return (a[at] ?? 0) < (b[at] ?? 0) ? -1 : 1;
}

export function benchmarksResponse({ world }: ApiState, { query: { category, ...query } }: Asked): Expected {
  const rows = world.current.benchmarks.filter((row) => category === undefined || row['category'] === category);
  return listOfRows('benchmarks', rows, query);
}

export function scoresResponse({ world }: ApiState, { query }: Asked): Expected {
  const { model, benchmark, source, measured_after: after, measured_before: before } = query;
  const [min, max] = [numberOf(query, 'min_value'), numberOf(query, 'max_value')];
  const rows = world.current.scores
    .filter((score) => model === undefined || score['model_id'] === model)
    .filter((score) => benchmark === undefined || score['benchmark_id'] === benchmark)
    .filter((score) => source === undefined || score['source'] === source)
    .filter((score) => isWithin(score['value'], { min, max }))
    .filter((score) => isWithin(score['measured_at'], { min: after, max: before }));
  return listOfRows('scores', sortRecords('scores', rows, oneOf(query['sort'], SCORE_SORTS) ?? 'model_id'), query);
}

/** One category by rank, then model id; `limit` counts rows, so a tie may be cut. */
export function rankingsResponse({ world }: ApiState, { query }: Asked): Expected {
  const category = query['category'] ?? '';
  if (!isKnownCategory(world, category)) return notFound('category');
  const rows = world.current.rankings.filter((ranking) => ranking['category'] === category);
  return {
    ...listOfRows('rankings', sortRecords('rankings', rows, 'rank'), query),
    envelope: { category, ranked_at: rankedAt(world), method: null, total: rows.length },
  };
}

/** Bounds and orders by price are of the input unless a meter is named. */
export function pricingResponse({ world }: ApiState, { query }: Asked): Expected {
  const { model, provider, meter } = query;
  const [min, max] = [numberOf(query, 'min_price'), numberOf(query, 'max_price')];
  const sort = oneOf(query['sort'], PRICE_SORTS) ?? 'model_id';
  const isByPrice = min !== undefined || max !== undefined || sort.endsWith('price');
  const column = PRICE_COLUMNS[meter ?? 'input'];
  const rows = world.current.pricing
    .filter((price) => model === undefined || price['model_id'] === model)
    .filter((price) => provider === undefined || price['provider'] === provider)
    .filter((price) => (meter === undefined && !isByPrice) || (price[column ?? ''] ?? null) !== null)
    .filter((price) => isWithin(price[column ?? ''], { min, max }));
  return listOfRows('pricing', sortRecords('pricing', rows, sort.replace('price', column ?? 'price')), query);
}

/** Records before version 1.2, as the oracle knows them, speak of no event; a model that never was is refused all the same. */
export function lifecycleResponse({ world }: ApiState, { query }: Asked): Expected {
  const models = query['model']?.split(',') ?? [];
  if (models.some((model) => !isKnownModel(world, model))) return notFound('model');
  return listOfRows('lifecycle', [], query);
}

/** The newest night with rankings that is not after the one since which they have been as they are. */
function rankedAt({ nights }: World): string | null {
  const hashOf = (night: World['nights'][number] | undefined) => night?.contents.rankings.contentSha256;
  const changed = nights.findLast((night, i) => hashOf(night) !== hashOf(nights[i - 1]));
  const captures = nights.filter(({ captured }) => captured.includes('rankings'));
  const brought = captures.findLast(({ day }) => day <= (changed?.day ?? '')) ?? captures[0];
  return brought?.dataAsOf ?? null;
}

function listOfRows(name: List, rows: readonly WireRecord[], query: Parameters) {
  const limit = numberOf(query, 'limit') ?? LISTS[name].fallback;
  return { kind: 'list', name, rows, limit, envelope: { total: rows.length } } as const;
}

/** Numbers by size, dates as text; null and an unknown price are never within a bound, and no bound holds everything. */
function isWithin(value: unknown, { min, max }: Partial<Record<'min' | 'max', string | number | undefined>>): boolean {
  if (min === undefined && max === undefined) return true;
  if (typeof value !== 'string' && typeof value !== 'number') return false;
  return (min === undefined || value >= min) && (max === undefined || value <= max);
}

/** Whatever a model is called: its id, its name, and its names at upstreams. */
function textsOf(model: WireRecord, world: World): readonly string[] {
  return [String(model['id']), String(model['name']), ...namesOf(model, world)];
}

/** Character by character, so that İ is i, and Σ is σ at the end of a word too. */
function lowered(text: string): string {
  return Array.from(text, (character) => [...character.toLowerCase()][0]).join('');
}

function namesOf(model: WireRecord, { aliases }: World): readonly string[] {
  return aliases.filter(({ model_id }) => model_id === model['id']).map(({ id }) => id);
}

function listOf(record: WireRecord, name: string): readonly unknown[] {
  const list = record[name];
  return Array.isArray(list) ? list : [];
}

export function askModels(asking: Asking): Asked {
  const { choose } = asking;
  const sort = () => (choose.chance(0.5) ? '-' : '') + choose.pick(MODEL_COLUMNS);
  const filters = pickSome(asking, {
    q: [0.3, () => pickPart(asking)],
    alias: [0.15, () => pickValue(asking, choose.pick(['aliases.id', 'models.id', 'models.name']))],
    organization: [0.15, () => pickValue(asking, 'models.organization')],
    provider: [0.2, () => pickValue(asking, 'models.inference')],
    min_context: [0.2, () => pickValue(asking, 'models.context_length', '0')],
    released_after: [0.15, () => pickNear(asking, 'models.release_date')],
    released_before: [0.15, () => pickNear(asking, 'models.release_date')],
    max_input_price: [0.2, () => pickValue(asking, 'pricing.input_per_million', '0')],
    max_output_price: [0.2, () => pickValue(asking, 'pricing.output_per_million', '0')],
    sort: [0.7, sort],
  });
  const isByRelevance = filters['q'] !== undefined && choose.chance(0.4);
  return paged(asking, 'models', isByRelevance ? { ...filters, sort: 'relevance' } : filters);
}

export function askBenchmarks(asking: Asking): Asked {
  const query = pickSome(asking, { category: [0.4, () => pickValue(asking, 'benchmarks.category')] });
  return paged(asking, 'benchmarks', query);
}

export function askScores(asking: Asking): Asked {
  const { choose } = asking;
  const query = pickSome(asking, {
    model: [0.2, () => pickModel(asking)],
    benchmark: [0.35, () => pickValue(asking, 'scores.benchmark_id')],
    source: [0.15, () => pickValue(asking, 'scores.source')],
    min_value: [0.25, () => pickValue(asking, 'scores.value', '0')],
    max_value: [0.25, () => pickValue(asking, 'scores.value', '0')],
    measured_after: [0.15, () => pickNear(asking, 'scores.measured_at')],
    measured_before: [0.15, () => pickNear(asking, 'scores.measured_at')],
    sort: [0.7, () => choose.pick(SCORE_SORTS)],
  });
  return paged(asking, 'scores', query);
}

export function askRankings(asking: Asking): Asked {
  const query = { category: pickId(asking, asking.interests.categories) };
  return paged(asking, 'rankings', query);
}

export function askPricing(asking: Asking): Asked {
  const { choose } = asking;
  const price = () => pickValue(asking, choose.pick(['pricing.input_per_million', 'pricing.output_per_million']), '0');
  const query = pickSome(asking, {
    model: [0.2, () => pickValue(asking, 'pricing.model_id')],
    provider: [0.3, () => pickValue(asking, 'pricing.provider')],
    meter: [0.4, () => choose.pick(['input', 'output', 'output', 'cache_read'])],
    min_price: [0.25, price],
    max_price: [0.25, price],
    sort: [0.7, () => choose.pick(PRICE_SORTS)],
  });
  return paged(asking, 'pricing', query);
}

export function askLifecycle(asking: Asking): Asked {
  const { choose } = asking;
  const models = () => Array.from({ length: choose.integer(1, 3) }, () => pickModel(asking));
  const query = pickSome(asking, {
    days: [0.4, () => String(choose.pick([1, 365, 3650]))],
    from: [0.3, () => pickNear(asking, 'models.release_date')],
    model: [0.5, () => models().join(',')],
    organization: [0.2, () => pickValue(asking, 'models.organization')],
    event: [0.3, () => choose.pick(['deprecation', 'retirement'])],
  });
  return paged(asking, 'lifecycle', query);
}

/** A request with a limit with which the list has some pages, not too many. */
function paged(asking: Asking, list: List, query: Parameters): Asked {
  const { choose, state } = asking;
  const { fallback, max, response } = LISTS[list];
  const expected = response(state, { params: {}, query });
  const rows = expected.kind === 'list' ? expected.rows.length : 0;
  const limits = [1, 2, 3, 7, 20, fallback, max - 1].filter((limit) => limit * PAGES_MAX >= rows).concat(max);
  const isDefault = fallback * PAGES_MAX >= rows && choose.chance(0.2);
  return { params: {}, query: isDefault ? query : { ...query, limit: String(choose.pick(limits)) } };
}

/** A part of an id or a name, now and then in another case; among them `%` and `_`, which SQL's LIKE takes for wildcards. */
function pickPart(asking: Asking): string {
  const { choose } = asking;
  if (choose.chance(0.15)) return choose.pick(['%', '_', '\\', '.', '/', ' ', '[', '*', "'", 'é', 'a'.repeat(200)]);
  const characters = [...pickValue(asking, choose.pick(['models.id', 'models.name', 'aliases.id']))];
  const start = choose.integer(0, characters.length - 1);
  const part = characters.slice(start, start + choose.integer(1, 8)).join('');
  return choose.pick([part, part.toUpperCase(), part.toLowerCase()]);
}

/** A date that the column holds, or the day before or after. */
function pickNear(asking: Asking, column: string): string {
  const day = pickValue(asking, column, '2026-01-01');
  return addDays(day, asking.choose.pick([-1, 0, 0, 1]));
}
