import type { FastifyInstance } from 'fastify';

/** Whether a service can do its work, as `/health/ready` tells it. */
export interface Readiness {
  readonly isReady: boolean;
  /** As JSON. */
  readonly body: object;
  /** Of one that is not: when to ask again, where it will be. */
  readonly retryAfterSeconds?: number;
}

/**
 * `/health/live`: the process answers. `/health/ready`: it can do its work, or 503 (specification "Health and metrics").
 */
export function addHealth(app: FastifyInstance, readiness: () => Readiness): void {
  app.get('/health/live', async (_, reply) => reply.header('Cache-Control', 'no-store').send({ status: 'live' }));
  app.get('/health/ready', async (_, reply) => {
    const { isReady, body, retryAfterSeconds } = readiness();
    if (retryAfterSeconds !== undefined) reply.header('Retry-After', retryAfterSeconds);
    return reply
      .code(isReady ? 200 : 503)
      .header('Cache-Control', 'no-store')
      .send(body);
  });
}
