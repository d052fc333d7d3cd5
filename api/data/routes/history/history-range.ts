/** What the answers of both histories have besides their points. */

import { addDays, type Day } from '../../../../runtime/day.ts';
import { planWindowStart } from '../../../accounts/plans/plans.ts';
import { queryProblem, type RequestProblem } from '../../../server/errors/http-error.ts';
import type { CheckedQuery } from '../../../server/parse-request.ts';
import type { Dependency } from '../../../server/route.ts';
import { HISTORY_SOURCES, type HistoryKind } from '../../../view/tables/history-kinds.ts';
import type { View } from '../../../view/view.ts';
import type { Rights } from '../../access/rights.ts';
import type { JsonText } from '../../answers/data-route.ts';
import { all, availableFromOf, backfillOf, capturesOf, sinceDay, value } from '../../answers/dependencies.ts';
import { day } from '../../answers/parameters.ts';
import { ApiError } from '../../api-errors.ts';

/** Longest span of one history request, `to` − `from` in days (specification "Service limits"). */
const HISTORY_SPAN_DAYS_MAX = 400;

/** The earliest day that can be asked for; days before it don't compare as text. */
const FIRST_DAY: Day = '0001-01-01';

/** `from` and `to` of a history. */
export const RANGE = {
  from: day({
    description: 'First day, inclusive; default 400 days before `to`, or where the plan begins',
    example: '2026-01-01',
  }).optional(),
  to: day({ description: 'Last day, inclusive; default today', example: '2026-06-29' }).optional(),
};

export interface HistoryRange {
  readonly from: Day;
  readonly to: Day;
  /** The oldest day that the plan may query; null: no limit. */
  readonly planLimitFrom: Day | null;
}

/**
 * What is wrong with the range of a history request (specification "History requests"). A `from` before the plan's window is
 * refused as such however long the range is: a shorter one would not help.
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
  const msg = `The range spans ${requestedDays} days; ask for at most ${HISTORY_SPAN_DAYS_MAX} at once`;
  const ctx = { max_days: HISTORY_SPAN_DAYS_MAX, requested_days: requestedDays };
  return [queryProblem('from', from, { msg, type: 'range_too_large', ctx })];
}

/**
 * The range that a history request without problems is served (specification "Plan window"). Throws `history_window_exceeded` for
 * one that the plan doesn't reach.
 */
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

function windowExceeded(param: 'from' | 'to', earliest: Day, { plan }: Rights): ApiError {
  // Where plans are not told of, neither is that there are any.
  const message = `The history${plan === null ? '' : ' of your plan'} begins on ${earliest}`;
  return new ApiError('history_window_exceeded', message, { param, plan: plan ?? undefined });
}

function daysBetween(from: Day, to: Day): number {
  return Math.round((Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / 86_400_000);
}

function latest(one: Day, other: Day): Day {
  return other > one ? other : one;
}

/** The `window` of a history answer, as JSON text. */
export function windowText(view: View, kind: HistoryKind, range: HistoryRange): JsonText {
  return JSON.stringify({
    from: range.from,
    to: range.to,
    plan_limit_from: range.planLimitFrom,
    available_from: view.meta.availableFrom[kind],
  });
}

/**
 * What a history depends on: the captures within its range, which are over and stay as they are, reconstructed prices, and what
 * else `window` says. A range that ends today has been the same since midnight, and so has the plan's.
 */
export function historyDependency(view: View, kind: HistoryKind, range: HistoryRange, today: Day): Dependency {
  return all(
    capturesOf(view, HISTORY_SOURCES[kind].dataset.name, range),
    sinceDay(range.planLimitFrom === null ? range.to : today),
    availableFromOf(view, kind),
    kind === 'pricing' ? backfillOf(view) : value(null),
  );
}

/** The days that points of a kind can have. */
export function daysOf(view: View, kind: HistoryKind): readonly string[] {
  return view.capturedDays(HISTORY_SOURCES[kind].dataset.name);
}
