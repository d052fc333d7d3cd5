import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Accounts } from '../accounts/accounts.ts';
import { addAbortHook, isAborted } from '../http/aborted.ts';
import { limitFailedAttempts } from '../http/failed-attempts.ts';
import { isPathBelow } from '../http/request-checks.ts';
import { AccessControl, type BackstopLimits, type RouteAccess } from './access/access-control.ts';
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
export async function bindAccess(app: FastifyInstance, options: AccessOptions): Promise<void> {
  const { accounts, capabilities, backstop, failedAttemptsMax, basePath, clock } = options;
  const countFailure = await limitFailedAttempts(app, {
    max: failedAttemptsMax,
    addressesMax: ADDRESSES_MAX,
    refusal: tooManyAttempts,
  });
  const control = new AccessControl({ accounts, capabilities, backstop, countFailure, clock });
  app.decorateRequest('visit', undefined);
  app.addHook('onRequest', async (request) => {
    const { access: route, allow } = request.routeOptions.config;
    // A method that the path hasn't is told so whatever the plan.
    const access = route === undefined || allow === undefined ? route : { ...route, feature: null };
    if (access === undefined && !(request.is404 && isPathBelow(`${basePath}/v1`, request.url))) return;
    const bearerToken = bearerTokenFrom(request.headers.authorization);
    const visit = await control.admit({ bearerToken, clientAddress: request.ip }, access);
    request.visit = visit;
    if (visit.refusal !== undefined) throw visit.refusal;
  });
  app.addHook('onSend', async ({ visit }, reply) => {
    if (visit !== undefined) reply.headers(await visit.settle(reply.statusCode));
  });
  app.addHook('onResponse', async ({ visit }, reply) => {
    if (!isAborted(reply)) visit?.finish();
  });
  addAbortHook(app, ({ visit }, _, abort) => void visit?.abandon(abort));
}

/** Client addresses whose failed attempts are remembered. Smaller: an attacker with many addresses is forgotten sooner. */
const ADDRESSES_MAX = 20_000;

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
