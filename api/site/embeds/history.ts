import type { Day } from '../../../runtime/day.ts';
import { PLANS } from '../../accounts/plans/plans.ts';
import type { HistoryPoint } from '../../charts/history-series.ts';
import type { DataRoute, JsonObject } from '../../data/answers/data-route.ts';
import type { Question } from '../../server/route.ts';
import type { PublicContext } from '../public-route.ts';

/** What a chart may show of a history, and over which days. */
export interface ShownHistory {
  readonly points: readonly HistoryPoint[];
  readonly from: Day;
  readonly to: Day;
}

/** What is read of a history. */
interface History extends JsonObject {
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
export async function askHistory<Params, Query, Body extends History>(
  route: DataRoute<Params, Query, Body>,
  question: Question<Params, Query>,
  context: PublicContext,
): Promise<ShownHistory | undefined> {
  if (!hasHistories(context)) return undefined;
  const { points, window } = await context.ask(route, question);
  const { from: limit, available_from: first } = window;
  const [from, to] = [first !== null && first > limit ? first : limit, context.view.newest.day];
  return from > to ? undefined : { points, from, to };
}
