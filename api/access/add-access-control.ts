import type { FastifyInstance } from 'fastify';
import type { Accounts } from '../../accounts/accounts.ts';
import { AccessControl, type RouteAccess } from './access-control.ts';
import type { CapabilityStates } from './capabilities.ts';
import { limitFailedAttempts } from './failed-attempts.ts';
import { isPathBelow } from './path-below.ts';

export interface AccessControlOptions {
  readonly accounts: Accounts;
  readonly capabilities: CapabilityStates;
  readonly failedAttemptsMax: number;
  readonly basePath: string;
  readonly clock: () => Date;
}

/** Stands in front of every route that is added from now on and asks for access, and of what doesn't exist below `/v1`. */
export async function addAccessControl(
  app: FastifyInstance,
  { accounts, capabilities, failedAttemptsMax, basePath, clock }: AccessControlOptions,
): Promise<AccessControl> {
  const countFailure = await limitFailedAttempts(app, { max: failedAttemptsMax, addressesMax: ADDRESSES_MAX });
  const access = new AccessControl({ accounts, clock, countFailure, capabilities });
  app.addHook('onRequest', async (request) => {
    const { access: asked } = request.routeOptions.config;
    if (asked !== undefined) await access.admit(request, asked);
    else if (request.is404 && isPathBelow(`${basePath}/v1`, request.url)) await access.admit(request, undefined);
  });
  app.addHook('onSend', async (request, reply) => {
    await access.settle(request, reply);
  });
  app.addHook('onResponse', async (request) => access.finish(request));
  return access;
}

/** Client addresses whose failed attempts are remembered. Smaller: an attacker with many addresses is forgotten sooner. */
const ADDRESSES_MAX = 20_000;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What a route below `/v1` asks of its callers; every such route has it. */
    access?: RouteAccess;
  }
}
