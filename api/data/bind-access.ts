import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { mapAwaitable } from '../../runtime/awaitable.ts';
import type { Accounts } from '../accounts/open-accounts.ts';
import { httpError } from '../server/errors/http-error.ts';
import { improperUrl, isPathBelow, isProperUrl } from '../server/request-checks.ts';
import type { RequestGuard } from '../server/server.ts';
import { AccessControl, type BackstopLimits, type Credentials, type RouteAccess } from './access/access-control.ts';
import type { Admission } from './access/admission.ts';
import { tooManyAttempts } from './access/refusals.ts';
import type { CapabilityStates } from './access/rights.ts';

export interface AccessOptions {
  readonly accounts: Accounts;
  readonly capabilities: CapabilityStates;
  readonly backstop: BackstopLimits;
  readonly failedAttemptsMax: number;
  readonly basePath: string;
  readonly clock: () => Date;
}

/** For surfaces that make several route calls per request. */
export interface AccessGuard extends RequestGuard {
  readonly control: AccessControl;
}

/** The guard of every route with access rules, and of unknown routes below `/v1`. */
export async function bindAccess(app: FastifyInstance, options: AccessOptions): Promise<AccessGuard> {
  const { accounts, capabilities, backstop, failedAttemptsMax, basePath, clock } = options;
  const countFailure = await limitFailedAttempts(app, {
    max: failedAttemptsMax,
    addressesMax: ADDRESSES_MAX,
    refusal: tooManyAttempts,
  });
  const control = new AccessControl({ accounts, capabilities, backstop, countFailure, clock });
  const isBelowV1 = ({ url }: FastifyRequest) => isPathBelow(`${basePath}/v1`, url);
  app.decorateRequest('admission', undefined);
  app.decorateRequest('hasEnded', false);
  return {
    control,
    admit: (request, { access, allow }) => {
      if (access === undefined && !(request.is404 && isBelowV1(request))) return undefined;
      // A URL that is not properly encoded names no route.
      const isProper = isProperUrl(request.url);
      const hasMethod = allow === undefined;
      return mapAwaitable(
        control.admit(new RequestCredentials(request), isProper ? access : undefined, { hasMethod }),
        (admission) => {
          request.admission = admission;
          if (request.hasEnded) {
            void admission.abandon({ hasBegun: false });
            throw httpError('request_timeout', 'The client has disconnected');
          }
          if (!isProper && admission.refusal?.code === 'not_found') throw improperUrl();
          if (admission.refusal !== undefined) throw admission.refusal;
        },
      );
    },
    headersOf: ({ admission }, status) => admission?.settle(status) ?? NO_HEADERS,
    onEnd: (request, abort) => {
      const { admission } = request;
      request.hasEnded = true;
      if (abort === undefined) admission?.finish();
      else void admission?.abandon(abort);
    },
    admitUnrouted: async (request) => {
      if (!isBelowV1(request)) return { headers: {}, refusal: undefined };
      const admission = await control.admit(new RequestCredentials(request), undefined);
      const refusal = admission.refusal?.code === 'not_found' ? undefined : admission.refusal;
      const headers = await admission.settle(refusal?.status ?? improperUrl().status);
      admission.finish(); // No hook runs at its end.
      return { headers, refusal };
    },
  };
}

const NO_HEADERS = {};

/** Smaller: an attacker with many addresses is forgotten sooner. */
const ADDRESSES_MAX = 20_000;

/** Reads the client address lazily: it is costly, and only failed attempts need it. */
class RequestCredentials implements Credentials {
  readonly bearerToken: string | undefined;
  readonly #request: FastifyRequest;

  constructor(request: FastifyRequest) {
    this.bearerToken = bearerTokenFrom(request.headers.authorization);
    this.#request = request;
  }

  get clientAddress(): string | undefined {
    return this.#request.ip;
  }
}

function bearerTokenFrom(header: string | undefined): string | undefined {
  return /^Bearer +(\S+) *$/i.exec(header ?? '')?.[1];
}

export function getAdmission({ admission }: FastifyRequest): Admission {
  if (admission === undefined) throw new Error('a route below /v1 was reached without being admitted');
  return admission;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Every route below `/v1` has them. */
    access?: RouteAccess;
  }
  interface FastifyRequest {
    /** Set on routes with access rules if the key was valid. */
    admission: Admission | undefined;
    /** The response has ended or the client has disconnected; possibly during the key lookup. */
    hasEnded: boolean;
  }
}

export interface FailedAttemptsOptions {
  /** Per minute and client address. */
  readonly max: number;
  /** Addresses remembered; beyond it the oldest are forgotten. */
  readonly addressesMax: number;
  /** The error beyond `max`. */
  readonly refusal: (when: { readonly resetAt: Date; readonly retryAfterSeconds: number }) => Error;
}

/**
 * Counts failed sign-ins of any kind per client address, IPv6 by /64 (specification "Attempts without a key"). Ignores
 * undefined addresses: those clients have disconnected.
 */
export async function limitFailedAttempts(
  app: FastifyInstance,
  { max, addressesMax, refusal }: FailedAttemptsOptions,
): Promise<(clientAddress: string | undefined) => Promise<void>> {
  await app.register(rateLimit, { global: false, ipv6Subnet: 64 });
  // The plugin accepts `cache` here, though its types don't; it doesn't pass on the options of `register`.
  const options = { max, timeWindow: 60_000, cache: addressesMax };
  const countOnce = app.createRateLimit(options);
  // One at a time: concurrent attempts would all get the count of the last one.
  let before: Promise<unknown> = Promise.resolve();
  const count = (ip: string) => {
    // The plugin reads only these two fields of a request.
    const counted = before.then(() => countOnce({ ip, routeOptions: {} } as FastifyRequest));
    before = counted.catch(() => undefined);
    return counted;
  };
  return async (clientAddress) => {
    if (clientAddress === undefined) return;
    const state = await count(clientAddress);
    if (state.isAllowed || !state.isExceeded) return;
    throw refusal({ resetAt: new Date(Date.now() + state.ttl), retryAfterSeconds: Math.max(1, state.ttlInSeconds) });
  };
}
