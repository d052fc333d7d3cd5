import { effectiveTerms, NO_BONUS, NO_SUBSCRIPTION } from '../accounts/plans/terms.ts';
import type { Answers } from '../data/answers/answers.ts';
import type { DataRoute } from '../data/answers/data-route.ts';

/** Parameters as text, as in a URL; absent ones are left out. */
export interface Question {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | undefined>>;
}

/** Asks a route of the API; `T` is what its response schema describes. Rejects with what the route rejects with. */
export type AskPublic = <T>(route: DataRoute, question?: Question) => Promise<T>;

/** Asks on the terms of Community, which anybody has (specification "Without a key"). Nobody's quota is charged. */
export function askerOf(answers: Answers, now: Date): AskPublic {
  const { plan, historyMonths, snapshots } = effectiveTerms(NO_SUBSCRIPTION, NO_BONUS, now);
  return async <T>(route: DataRoute, { params = {}, query = {} }: Question = {}) => {
    const given = Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined));
    const asker = { rights: { plan, historyMonths, snapshots } };
    const { body = '', giveBack } = await answers.answer(route, { params, query: given }, asker);
    const data = JSON.parse(String(body)) as T; // Our own answer, whose shape the API's tests hold to its schema.
    giveBack?.();
    return data;
  };
}
