import type { RouteResponse } from '../../server/responder.ts';
import type { RouteAccess } from '../access/access-control.ts';
import type { Visit } from '../access/visit.ts';
import { JSON_TYPE } from '../answers/answers.ts';

/** `GET /v1/account`: what it asks of its callers. */
export const ACCOUNT_ROUTE: RouteAccess = {
  name: '/v1/account',
  capability: 'account',
  feature: null,
  limitPerMinute: 60,
};

/** The caller's account (specification "Account object"): never cached, and costs no quota. */
export async function answerAccount(visit: Pick<Visit, 'account'>): Promise<RouteResponse> {
  const body = JSON.stringify(await visit.account());
  return { status: 200, headers: { 'Cache-Control': 'no-store', 'Content-Type': JSON_TYPE }, body };
}
