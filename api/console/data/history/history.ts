import type { Day } from '../../../../runtime/day.ts';
import type { HistoryPoint } from '../../../charts/history-series.ts';
import type { DataRoute, JsonObject } from '../../../data/answers/data-route.ts';
import type { Question } from '../../../server/route.ts';
import type { Ask, Asked } from '../ask.ts';
import type { HistorySpan } from './history-span.ts';

/** What is read of a history. */
export interface History extends JsonObject {
  readonly points: readonly HistoryPoint[];
}

interface RangeQuery {
  readonly from?: Day | undefined;
  readonly to?: Day | undefined;
}

/** Asks for the part of a span that the plan shows; where there is none of it, nothing is asked. */
export async function askHistory<Params, Query extends RangeQuery, Body extends History>(
  ask: Ask,
  route: DataRoute<Params, Query, Body>,
  question: Question<Params, Query>,
  span: HistorySpan,
): Promise<Asked<Body>> {
  if (span.query === undefined)
    return { refusal: 'All that is recorded lies before the history of your plan', url: '' };
  return ask(route, { ...question, query: { ...question.query, ...span.query } });
}
