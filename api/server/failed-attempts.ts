import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance, FastifyRequest } from 'fastify';

export interface FailedAttemptsOptions {
  /** Per minute and client address. */
  readonly max: number;
  /** Addresses remembered; beyond it the oldest are forgotten. */
  readonly addressesMax: number;
  /** What is thrown beyond that. */
  readonly refusal: (when: { readonly resetAt: Date; readonly retryAfterSeconds: number }) => Error;
}

/**
 * Counts failed attempts to sign in, whatever with, per client address, IPv6 by /64 (specification "Attempts without a key"). An
 * undefined address is that of a client that has hung up: nobody will be told.
 */
export async function limitFailedAttempts(
  app: FastifyInstance,
  { max, addressesMax, refusal }: FailedAttemptsOptions,
): Promise<(clientAddress: string | undefined) => Promise<void>> {
  await app.register(rateLimit, { global: false, ipv6Subnet: 64 });
  // The plugin takes `cache` here, though its types don't say so; what `register` was given is not handed on.
  const options = { max, timeWindow: 60_000, cache: addressesMax };
  const countOnce = app.createRateLimit(options);
  // One after the other: attempts at the same moment would all be told the count of the last one.
  let before: Promise<unknown> = Promise.resolve();
  const count = (ip: string) => {
    // The plugin reads only these two of a request; its types ask for a whole one.
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
