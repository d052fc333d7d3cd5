import type { LiveKey } from './keys/live-key.ts';
import { effectiveTerms, type Terms, termsHoldUntilMs } from './plans/terms.ts';

/** With which credential a request came, as the account object says it (specification "Account object"). */
export const CLIENT_SOURCES = ['api_key', 'mcp_api_key'] as const;
export type ClientSource = (typeof CLIENT_SOURCES)[number];

/** Who makes a request, and what their organization may do at this instant. */
export interface Caller {
  readonly organizationId: string;
  readonly apiKeyId: string;
  readonly terms: Terms;
  readonly clientSource: ClientSource;
}

/** The caller that a live key stands for, on the terms at `now`. */
export function callerFromKey(key: LiveKey, now: Date): Caller {
  return {
    organizationId: key.organizationId,
    apiKeyId: key.apiKeyId,
    terms: effectiveTerms(key.subscription, key.verifiedIntegrations, now),
    clientSource: 'api_key',
  };
}

/** The same caller, whose request came as a message of MCP. */
export function callerThroughMcp(caller: Caller): Caller {
  return { ...caller, clientSource: 'mcp_api_key' };
}

/** {@link callerFromKey} that works terms out anew only where the key was looked up anew, or one of their dates has passed. */
export function callerTeller(): (key: LiveKey, now: Date) => Caller {
  const told = new WeakMap<LiveKey, { readonly caller: Caller; readonly fromMs: number; readonly untilMs: number }>();
  return (key, now) => {
    const nowMs = now.getTime();
    const last = told.get(key);
    if (last !== undefined && nowMs >= last.fromMs && nowMs < last.untilMs) return last.caller;
    const caller = callerFromKey(key, now);
    told.set(key, { caller, fromMs: nowMs, untilMs: termsHoldUntilMs(key.subscription, now) });
    return caller;
  };
}
