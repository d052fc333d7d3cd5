import { z } from 'zod';
import { addDays, type Day, daysBetween } from '../../../runtime/day.ts';
import { columnSchema } from '../../../schemas/records.ts';
import { planWindowStart } from '../../accounts/organizations/plans.ts';
import { queryProblem, type RequestProblem } from '../../server/errors/http-error.ts';
import type { CheckedQuery } from '../../server/parse-request.ts';
import type { Dependency } from '../../server/route.ts';
import { HISTORY_SOURCES, type HistoryKind, isOptionalInPayload } from '../../view/history-kinds.ts';
import type { JsonText, View } from '../../view/view.ts';
import type { Rights } from '../access/rights.ts';
import { ApiError } from '../api-errors.ts';
import { all, availableFromOf, backfillOf, capturesOf, sinceDay, value } from '../responses/dependencies.ts';
import { day } from '../responses/parameters.ts';

/** Longest `to` − `from`, in days (specification "Service limits"). */
const HISTORY_SPAN_DAYS_MAX = 400;

/** Earlier days don't compare as text. */
const FIRST_DAY: Day = '0001-01-01';

export const RANGE = {
  from: day({
    description: "First day, inclusive; default: 400 days before `to`, or the plan's first day",
    example: '2026-01-01',
  }).optional(),
  to: day({ description: 'Last day, inclusive; default: today', example: '2026-06-29' }).optional(),
};

export interface HistoryRange {
  readonly from: Day;
  readonly to: Day;
  /** Null: no limit. */
  readonly planLimitFrom: Day | null;
}

/**
 * Problems of a range (specification "History requests"). A `from` before the plan's window is refused as such, however
 * long the range: a shorter one would not help.
 */
export function findRangeProblems(
  {
    values: { from, to: givenTo },
    wrong,
  }: CheckedQuery<{ readonly from?: Day | undefined; readonly to?: Day | undefined }>,
  { today, rights }: { readonly today: Day; readonly rights: Rights },
): readonly RequestProblem[] {
  if (from === undefined) return [];
  if (from > today) return [problemOf(from, `from is in the future; today is ${today}`)];
  if (wrong.has('to')) return [];
  const to = clampToToday(givenTo, today);
  if (from > to) return [problemOf(from, `from is after to, ${to}`)];
  const requestedDays = daysBetween(from, to);
  if (requestedDays <= HISTORY_SPAN_DAYS_MAX || from < (planWindowStart(rights.historyMonths, today) ?? FIRST_DAY))
    return [];
  const msg = `The range spans ${requestedDays} days; request at most ${HISTORY_SPAN_DAYS_MAX} at once`;
  const ctx = { max_days: HISTORY_SPAN_DAYS_MAX, requested_days: requestedDays };
  return [queryProblem('from', from, { msg, type: 'range_too_large', ctx })];
}

/** The range to serve (specification "Plan window"). Throws `history_window_exceeded`. */
export function resolveRange(
  given: { readonly from?: Day | undefined; readonly to?: Day | undefined },
  { today, rights }: { readonly today: Day; readonly rights: Rights },
): HistoryRange {
  const to = clampToToday(given.to, today);
  const limit = planWindowStart(rights.historyMonths, today);
  if (limit !== null && given.from !== undefined && given.from < limit) throw windowExceeded('from', limit, rights);
  if (limit !== null && to < limit) throw windowExceeded('to', limit, rights);
  const from = given.from ?? latest(addDays(to, -HISTORY_SPAN_DAYS_MAX), limit ?? FIRST_DAY);
  return { from, to, planLimitFrom: limit };
}

function problemOf(from: Day, msg: string): RequestProblem {
  return queryProblem('from', from, { msg, type: 'value_error' });
}

function clampToToday(to: Day | undefined, today: Day): Day {
  return to === undefined || to > today ? today : to;
}

/** Refuses days before the plan's window. */
export function windowExceeded(param: 'from' | 'to' | 'on', earliest: Day, { plan }: Rights): ApiError {
  // Must not reveal that there are plans.
  const message = `The history${plan === null ? '' : ' of your plan'} begins on ${earliest}`;
  return new ApiError('history_window_exceeded', message, { param, plan: plan ?? undefined });
}

function latest(one: Day, other: Day): Day {
  return other > one ? other : one;
}

export function windowText(view: View, kind: HistoryKind, range: HistoryRange): JsonText {
  return JSON.stringify({
    from: range.from,
    to: range.to,
    plan_limit_from: range.planLimitFrom,
    available_from: view.meta.availableFrom[kind],
  });
}

/** Dependencies of a history. A range that ends today has been the same since midnight, as has the plan's window. */
export function historyDependency(view: View, kind: HistoryKind, range: HistoryRange, today: Day): Dependency {
  return all(
    capturesOf(view, HISTORY_SOURCES[kind].dataset.name, range),
    sinceDay(range.planLimitFrom === null ? range.to : today),
    availableFromOf(view, kind),
    kind === 'pricing' ? backfillOf(view) : value(null),
  );
}

export function daysOf(view: View, kind: HistoryKind): readonly string[] {
  return view.capturedDays(HISTORY_SOURCES[kind].dataset.name);
}

/**
 * A schema per kind, so that clients can narrow the points. No field has the type null alone: openapi-fetch would omit
 * it (decision 0086).
 */
const HistoryWindowSchema = z
  .object({
    from: z.iso.date().describe('First day that was served'),
    to: z.iso.date().describe('Last day that was served'),
    plan_limit_from: z.iso.date().nullable().describe('Oldest day that the plan may query; null: unlimited'),
    available_from: z.iso.date().nullable().describe('First day with data of this kind; null: none yet'),
  })
  .meta({ id: 'HistoryWindow', description: 'Which days were served' });

const DATE = z.iso.date().describe('UTC day');
export const PointSourceSchema = z
  .enum(['capture', 'backfill'])
  .meta({ id: 'PointSource', description: 'Origin of a value; backfill for pricing only' });
const ORIGIN = PointSourceSchema.nullable().describe('Origin of the value');
const RANK = z.int().min(1).describe('The rank, 1 is best');
const CATEGORY_ID = z.string().describe('The ranked category');
const NO_BENCHMARK = z.string().nullable().describe('Null except for scores');
const NO_CATEGORY = z.string().nullable().describe('Null except for rankings');

/** Minor versions may add keys. */
function payload(kind: HistoryKind, name: string, before: z.ZodRawShape = {}) {
  const columns = HISTORY_SOURCES[kind].payload.map((column) => {
    const isOptional = isOptionalInPayload(column);
    const schema = columnSchema({ ...column, nullable: column.nullable && !isOptional });
    return [column.name, isOptional ? schema.optional() : schema] as const;
  });
  return z
    .looseObject({ ...before, ...Object.fromEntries(columns) })
    .meta({ id: name, description: 'Other fields of the record on that day' });
}

const RankingPayloadSchema = payload('ranking', 'RankingPayload', {
  positions: z.int().min(0).describe('Models that were ranked in the category that day'),
});

/** `fields` come between `date` and `source` of a point. */
function modelHistory<Kind extends HistoryKind, Fields extends z.ZodRawShape>(
  kind: Kind,
  name: string,
  fields: Fields,
) {
  const point = z.looseObject({ date: DATE, ...fields, source: ORIGIN }).meta({ id: `${name}Point` });
  return z
    .object({
      model_id: z.string().describe('As requested'),
      kind: z.literal(kind).describe('As requested'),
      points: z.array(point).describe('Ascending by date, then by series'),
      window: HistoryWindowSchema,
    })
    .meta({ id: `${name}History` });
}

/** The body of `GET /v1/models/{model_id}/history`. */
export const ModelHistorySchema = z
  .discriminatedUnion('kind', [
    modelHistory('score', 'ModelScore', {
      value: z.number().describe('The score'),
      benchmark_id: z.string().describe('The benchmark'),
      category_id: NO_CATEGORY,
      payload: payload('score', 'ScorePayload'),
    }),
    modelHistory('ranking', 'ModelRanking', {
      value: RANK,
      benchmark_id: NO_BENCHMARK,
      category_id: CATEGORY_ID,
      payload: RankingPayloadSchema,
    }),
    modelHistory('pricing', 'ModelPricing', {
      value: z.number().nullable().describe('Price of a million input tokens'),
      benchmark_id: NO_BENCHMARK,
      category_id: NO_CATEGORY,
      payload: payload('pricing', 'PricingPayload'),
    }),
    modelHistory('metadata', 'ModelMetadata', {
      value: z.number().nullable().describe('Null: a record has no single value'),
      benchmark_id: NO_BENCHMARK,
      category_id: NO_CATEGORY,
      payload: payload('metadata', 'MetadataPayload'),
    }),
  ])
  .meta({ id: 'ModelHistory', description: 'By kind' });

const RankingPointSchema = z
  .looseObject({
    date: DATE,
    value: RANK,
    model_id: z.string().describe('The model in this position'),
    category_id: CATEGORY_ID,
    payload: RankingPayloadSchema,
    source: ORIGIN,
  })
  .meta({ id: 'RankingPoint' });

/** The body of `GET /v1/rankings/history`. */
export const RankingsHistorySchema = z
  .object({
    category_id: z.string().describe('As requested'),
    kind: z.literal('ranking').describe('Always ranking'),
    points: z.array(RankingPointSchema).describe('Ascending by date, then by rank'),
    window: HistoryWindowSchema,
  })
  .meta({ id: 'RankingsHistory' });
