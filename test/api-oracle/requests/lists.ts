import { addDays } from '../../../runtime/day.ts';
import { answerRequest } from '../answer.ts';
import { LIST_LIMITS } from '../answers/lists.ts';
import type { ApiRequest } from '../request.ts';
import { type Asking, pickId, pickModel, pickSome, pickValue } from './asking.ts';

/** Pages that one list may take, so that a long list isn't read one by one. */
const PAGES_MAX = 15;
const MODEL_SORTS = ['id', 'name', 'release_date', 'context_length', 'updated_at'];
const SCORE_SORTS = ['model_id', 'value', '-value', '-measured_at'];

export function askModels(asking: Asking): ApiRequest {
  const { choose } = asking;
  const sort = () => (choose.chance(0.5) ? '-' : '') + choose.pick(MODEL_SORTS);
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
  return paged(asking, { route: 'models', params: {}, query: filters });
}

export function askBenchmarks(asking: Asking): ApiRequest {
  const query = pickSome(asking, { category: [0.4, () => pickValue(asking, 'benchmarks.category')] });
  return paged(asking, { route: 'benchmarks', params: {}, query });
}

export function askScores(asking: Asking): ApiRequest {
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
  return paged(asking, { route: 'scores', params: {}, query });
}

export function askRankings(asking: Asking): ApiRequest {
  const query = { category: pickId(asking, asking.interests.categories) };
  return paged(asking, { route: 'rankings', params: {}, query });
}

/** Adds a limit with which the list has some pages, not too many. */
function paged(asking: Asking, request: ApiRequest & { route: keyof typeof LIST_LIMITS }): ApiRequest {
  const { choose, state } = asking;
  const { fallback, max } = LIST_LIMITS[request.route];
  const expected = answerRequest(state, request);
  const rows = expected.kind === 'list' ? expected.rows.length : 0;
  const limits = [1, 2, 3, 7, 20, fallback, max - 1, max].filter((limit) => limit * PAGES_MAX >= rows);
  const isDefault = fallback * PAGES_MAX >= rows && choose.chance(0.2);
  const query = isDefault ? request.query : { ...request.query, limit: String(choose.pick(limits)) };
  return { ...request, query };
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
