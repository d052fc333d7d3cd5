import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Accounts } from '../accounts/accounts.ts';
import { addAbortHook, isAborted } from '../http/aborted.ts';
import { limitFailedAttempts } from '../http/failed-attempts.ts';
import { improperUrl, isPathBelow, isProperUrl } from '../http/request-checks.ts';
import type { Guard } from '../http/server.ts';
import { AccessControl, type BackstopLimits, type Credentials, type RouteAccess } from './access/access-control.ts';
import type { CapabilityStates } from './access/capabilities.ts';
import { tooManyAttempts } from './access/refusals.ts';
import type { Visit } from './access/visit.ts';

export interface AccessOptions {
  readonly accounts: Accounts;
  readonly capabilities: CapabilityStates;
  readonly backstop: BackstopLimits;
  readonly failedAttemptsMax: number;
  readonly basePath: string;
  readonly clock: () => Date;
}

/**
 * Stands in front of every route that is added from now on and asks for access, and of what doesn't exist below `/v1`. Admits
 * the request, keeps its visit with it, and settles that when the status is known.
 */
export async function bindAccess(app: FastifyInstance, options: AccessOptions): Promise<Guard> {
  const { accounts, capabilities, backstop, failedAttemptsMax, basePath, clock } = options;
  const countFailure = await limitFailedAttempts(app, {
    max: failedAttemptsMax,
    addressesMax: ADDRESSES_MAX,
    refusal: tooManyAttempts,
  });
  const control = new AccessControl({ accounts, capabilities, backstop, countFailure, clock });
  const isBelowV1 = ({ url }: FastifyRequest) => isPathBelow(`${basePath}/v1`, url);
  app.decorateRequest('visit', undefined);
  app.addHook('onRequest', async (request) => {
    const { access, allow } = request.routeOptions.config;
    if (access === undefined && !(request.is404 && isBelowV1(request))) return;
    // A URL that is not properly encoded names no route.
    const isProper = isProperUrl(request.raw.url ?? '');
    const visit = await control.admit(credentialsOf(request), isProper ? access : undefined, {
      hasMethod: allow === undefined,
    });
    request.visit = visit;
    if (!isProper && visit.refusal?.code === 'not_found') throw improperUrl();
    if (visit.refusal !== undefined) throw visit.refusal;
  });
  app.addHook('onSend', async ({ visit }, reply) => {
    if (visit !== undefined) reply.headers(await visit.settle(reply.statusCode));
  });
  app.addHook('onResponse', async ({ visit }, reply) => {
    if (!isAborted(reply)) visit?.finish();
  });
  addAbortHook(app, ({ visit }, _, abort) => void visit?.abandon(abort));
  return {
    admitUnrouted: async (request) => {
      if (!isBelowV1(request)) return { headers: {}, refusal: undefined };
      const visit = await control.admit(credentialsOf(request), undefined);
      const refusal = visit.refusal?.code === 'not_found' ? undefined : visit.refusal;
      return { headers: await visit.settle(refusal?.status ?? improperUrl().status), refusal };
    },
  };
}

/** Client addresses whose failed attempts are remembered. Smaller: an attacker with many addresses is forgotten sooner. */
const ADDRESSES_MAX = 20_000;

function credentialsOf({ headers, ip }: FastifyRequest): Credentials {
  return { bearerToken: bearerTokenFrom(headers.authorization), clientAddress: ip };
}

function bearerTokenFrom(header: string | undefined): string | undefined {
  return /^Bearer +(\S+) *$/i.exec(header ?? '')?.[1];
}

/** The visit of a request on a route that asks for access. */
export function getVisit({ visit }: FastifyRequest): Visit {
  if (visit === undefined) throw new Error('a route below /v1 was reached without being admitted');
  return visit;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What a route below `/v1` asks of its callers; every such route has it. */
    access?: RouteAccess;
  }
  interface FastifyRequest {
    /** Set where the route asks for access and the key was valid. */
    visit: Visit | undefined;
  }
}
