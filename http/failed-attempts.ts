import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError } from './errors/api-error.ts';

export interface FailedAttemptsOptions {
  /** Per minute and client address. */
  readonly max: number;
  /** Addresses remembered; beyond it the oldest are forgotten. */
  readonly addressesMax: number;
}

/**
 * Counts attempts without a valid key per client address, IPv6 by /64 (specification "Attempts without a key"). A valid key
 * is never held up by others at the same address. An undefined address is that of a client that has hung up: nobody will be told.
 */
export async function limitFailedAttempts(
  app: FastifyInstance,
  { max, addressesMax }: FailedAttemptsOptions,
): Promise<(clientAddress: string | undefined) => Promise<void>> {
  await app.register(rateLimit, { global: false, ipv6Subnet: 64 });
  // The plugin takes `cache` here, though its types don't say so; what `register` was given is not handed on.
  const options = { max, timeWindow: 60_000, cache: addressesMax };
  const count = app.createRateLimit(options);
  return async (clientAddress) => {
    if (clientAddress === undefined) return;
    // The plugin reads only these two of a request; its types ask for a whole one.
    const state = await count({ ip: clientAddress, routeOptions: {} } as FastifyRequest);
    if (state.isAllowed || !state.isExceeded) return;
    const resetAt = new Date(Date.now() + state.ttl).toISOString();
    throw new ApiError('rate_limit_exceeded', 'Too many attempts without a valid API key from this address', {
      limitType: 'burst',
      resetAt,
      headers: { 'Retry-After': String(Math.max(1, state.ttlInSeconds)) },
    });
  };
}
