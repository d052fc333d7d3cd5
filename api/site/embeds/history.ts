import type { Day } from '../../../runtime/day.ts';
import { PLANS } from '../../accounts/plans/plans.ts';
import type { HistoryPoint } from '../../charts/series/history-series.ts';
import type { DataRoute } from '../../data/answers/data-route.ts';
import type { Question } from '../ask.ts';
import type { PublicContext } from '../public-route.ts';

/** What a chart may show of a history, and over which days. */
export interface ShownHistory {
  readonly points: readonly HistoryPoint[];
  readonly from: Day;
  readonly to: Day;
}

/** A history, as the API answers it. */
interface History {
  readonly points: readonly HistoryPoint[];
  readonly window: { readonly from: Day; readonly available_from: Day | null };
}

/** Whether pages to embed show histories: where the capability is live, and on a plan that has them. */
export function hasHistories({ isLive }: Pick<PublicContext, 'isLive'>): boolean {
  return isLive('history') && PLANS.community.features.includes('history');
}

/**
 * The days of Community's window that are recorded, up to the newest release: what came after it, nobody knows. Undefined where
 * there are none, or no histories.
 */
export async function askHistory(
  route: DataRoute,
  question: Question,
  context: PublicContext,
): Promise<ShownHistory | undefined> {
  if (!hasHistories(context)) return undefined;
  const { points, window } = await context.ask<History>(route, question);
  const { from: limit, available_from: first } = window;
  const [from, to] = [first !== null && first > limit ? first : limit, context.view.newest.day];
  return from > to ? undefined : { points, from, to };
}
