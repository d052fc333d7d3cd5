/** `/v1/models`, `/v1/benchmarks`, `/v1/scores`, `/v1/rankings` (specification "Lists"). */

import { addDays } from '../../../runtime/day.ts';
import { pickId, pickModel, pickSome, pickValue } from '../asking/asking.ts';
import { type ApiState, type Expected, notFound } from '../expected.ts';
import { sortRecords } from '../order.ts';
import type { Asked, Asking, OracleRoute, Parameters } from '../route.ts';
import type { WireRecord, World } from '../world.ts';
import { isKnownCategory } from './reading/known.ts';
import { QueryReader } from './reading/query-reader.ts';

/** Default and greatest `limit` of each list. */
const LIST_LIMITS = {
  models: { fallback: 50, max: 200 },
  benchmarks: { fallback: 50, max: 200 },
  scores: { fallback: 100, max: 500 },
  rankings: { fallback: 10, max: 50 },
} as const;

const MODEL_COLUMNS = ['id', 'name', 'release_date', 'context_length', 'updated_at'];
const MODEL_SORTS = MODEL_COLUMNS.flatMap((sort) => [sort, `-${sort}`]);
const SCORE_SORTS = ['model_id', 'value', '-value', '-measured_at'];
/** Pages that one list may take, so that a long list isn't read one by one. */
const PAGES_MAX = 15;

export const modelsRoute: OracleRoute = {
  name: 'models',
  path: '/v1/models',
  weight: 12,
  answer: answerModels,
  ask: askModels,
};

export const benchmarksRoute: OracleRoute = {
  name: 'benchmarks',
  path: '/v1/benchmarks',
  weight: 2,
  answer: answerBenchmarks,
  ask: askBenchmarks,
};

export const scoresRoute: OracleRoute = {
  name: 'scores',
  path: '/v1/scores',
  weight: 9,
  answer: answerScores,
  ask: askScores,
};

export const rankingsRoute: OracleRoute = {
  name: 'rankings',
  path: '/v1/rankings',
  weight: 5,
  answer: answerRankings,
  ask: askRankings,
};

function answerModels({ world }: ApiState, { query }: Asked): Expected {
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

function answerBenchmarks({ world }: ApiState, { query }: Asked): Expected {
  const reader = new QueryReader(query);
  const limit = readLimit(reader, 'benchmarks');
  const category = reader.text('category');
  const rows = world.current.benchmarks.filter(
    (benchmark) => category === undefined || benchmark['category'] === category,
  );
  return listOfRows('benchmarks', rows, limit);
}

function answerScores({ world }: ApiState, { query }: Asked): Expected {
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
function answerRankings({ world }: ApiState, { query }: Asked): Expected {
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

function askModels(asking: Asking): Asked {
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
  return paged(asking, modelsRoute, filters);
}

function askBenchmarks(asking: Asking): Asked {
  const query = pickSome(asking, { category: [0.4, () => pickValue(asking, 'benchmarks.category')] });
  return paged(asking, benchmarksRoute, query);
}

function askScores(asking: Asking): Asked {
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
  return paged(asking, scoresRoute, query);
}

function askRankings(asking: Asking): Asked {
  const query = { category: pickId(asking, asking.interests.categories) };
  return paged(asking, rankingsRoute, query);
}

/** A request with a limit with which the list has some pages, not too many. */
function paged(asking: Asking, { name, answer }: OracleRoute, query: Parameters): Asked {
  const { choose, state } = asking;
  const { fallback, max } = LIST_LIMITS[name as keyof typeof LIST_LIMITS]; // One of the lists above.
  const expected = answer(state, { params: {}, query });
  const rows = expected.kind === 'list' ? expected.rows.length : 0;
  const limits = [1, 2, 3, 7, 20, fallback, max - 1, max].filter((limit) => limit * PAGES_MAX >= rows);
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
