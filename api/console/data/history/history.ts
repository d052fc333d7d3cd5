import type { HistoryPoint } from '../../../charts/series/history-series.ts';
import type { DataRoute } from '../../../data/answers/data-route.ts';
import type { Ask, Asked, Question } from '../ask.ts';
import type { HistorySpan } from './history-span.ts';

/** A history, as the API answers it. */
export interface History {
  readonly points: readonly HistoryPoint[];
}

/** Asks for the part of a span that the plan shows; where there is none of it, nothing is asked. */
export async function askHistory(
  ask: Ask,
  route: DataRoute,
  { params, query }: Question,
  span: HistorySpan,
): Promise<Asked<History>> {
  if (span.query === undefined)
    return { refusal: 'All that is recorded lies before the history of your plan', url: '' };
  return ask<History>(route, { ...(params === undefined ? {} : { params }), query: { ...query, ...span.query } });
}
