import type { LiveCredential } from './credentials/live-credential.ts';
import { effectiveTerms, type Terms, termsHoldUntilMs } from './plans/terms.ts';

/** With which credential a request came, as the account object says it (specification "Account object"). */
export const CLIENT_SOURCES = ['api_key', 'mcp_api_key', 'mcp_oauth'] as const;
export type ClientSource = (typeof CLIENT_SOURCES)[number];

/** Who makes a request, and what their organization may do at this instant. */
export interface Caller {
  readonly organizationId: string;
  /** Of the API key, or of the connection. */
  readonly credentialId: string;
  readonly terms: Terms;
  /** Unix milliseconds from which on the terms may be others; undefined: they hold for as long as the request lasts. */
  readonly termsUntilMs?: number;
  readonly clientSource: ClientSource;
}

/** The caller that a live credential stands for, on the terms at `now`. */
export function callerFrom(credential: LiveCredential, clientSource: ClientSource, now: Date): Caller {
  return {
    organizationId: credential.organizationId,
    credentialId: credential.credentialId,
    terms: effectiveTerms(credential.subscription, credential.bonusEnds, now),
    termsUntilMs: termsHoldUntilMs(credential.subscription, credential.bonusEnds, now),
    clientSource,
  };
}

/** The same caller, whose request came as a message of MCP. */
export function callerThroughMcp(caller: Caller): Caller {
  return { ...caller, clientSource: 'mcp_api_key' };
}

/** {@link callerFrom} that works terms out anew only where the credential was looked up anew, or one of their dates has passed. */
export function callerTeller(clientSource: ClientSource): (credential: LiveCredential, now: Date) => Caller {
  const told = new WeakMap<LiveCredential, { readonly caller: Caller; readonly fromMs: number }>();
  return (credential, now) => {
    const nowMs = now.getTime();
    const last = told.get(credential);
    if (last !== undefined && nowMs >= last.fromMs && nowMs < (last.caller.termsUntilMs ?? nowMs)) return last.caller;
    const caller = callerFrom(credential, clientSource, now);
    told.set(credential, { caller, fromMs: nowMs });
    return caller;
  };
}
