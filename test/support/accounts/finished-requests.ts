import type { Accounts } from '../../../accounts/accounts.ts';
import type { Caller } from '../../../accounts/caller.ts';
import type { FinishedRequest } from '../../../accounts/request-counts/request-recorder.ts';
import { addCustomer, callerOf } from './subject.ts';

export const DAYS = ['2026-11-18', '2026-11-19', '2026-11-20', '2026-11-21'];
export const RANGE = { from: '2026-11-18', to: '2026-11-21' };

/** An organization with two keys, of which the second is named like a formula. */
export async function addTwoKeys(accounts: Accounts) {
  const { organizationId, keyId, key } = await addCustomer(accounts, { contract: { daily_quota: 1_000 } });
  const second = await accounts.administration.createKey(organizationId, '=1+1,"two"');
  const callers = [await callerOf(accounts, key), await callerOf(accounts, second.key)] as const;
  return { organizationId, keyIds: [keyId, second.id] as const, callers, second };
}

/** A request that was answered on a unit of its own, unless told otherwise. */
export function finished(caller: Caller, request: Partial<FinishedRequest> = {}): FinishedRequest {
  return { caller, day: '2026-11-20', route: '/v1/models', units: 1, outcome: undefined, ...request };
}
