import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError } from '../api-error.ts';

export interface FailedAttemptsOptions {
  /** Per minute and client address. */
  readonly max: number;
  /** Addresses remembered; beyond it the oldest are forgotten. */
  readonly addressesMax: number;
}

/**
 * Counts attempts without a valid key per client address, IPv6 by /64 (DECISIONS "before authentication"). A valid key is
 * never held up by others at the same address.
 */
export async function limitFailedAttempts(
  app: FastifyInstance,
  { max, addressesMax }: FailedAttemptsOptions,
): Promise<(request: FastifyRequest) => Promise<void>> {
  await app.register(rateLimit, { global: false, ipv6Subnet: 64 });
  // The plugin takes `cache` here, though its types don't say so; the one above is not handed on.
  const options = { max, timeWindow: 60_000, cache: addressesMax };
  const count = app.createRateLimit(options);
  return async (request) => {
    if (request.ip === undefined) return; // It has hung up already, and nobody will be told.
    const state = await count(request);
    if (state.isAllowed || !state.isExceeded) return;
    const resetAt = new Date(Date.now() + state.ttl).toISOString();
    throw new ApiError('rate_limit_exceeded', 'Too many attempts without a valid API key from this address', {
      ...{ limitType: 'burst', resetAt },
      headers: { 'Retry-After': String(Math.max(1, state.ttlInSeconds)) },
    });
  };
}
