import type { FastifyInstance } from 'fastify';
import { z } from 'zod';

const HealthProblemSchema = z
  .object({
    code: z.string().describe('Stable and machine-readable'),
    message: z.string().describe('For people'),
    since: z.iso.datetime().describe('When it began'),
  })
  .nullable()
  .describe('Why the newest release is not the one that is served; null where it is');

const ReleaseSchema = z.object({
  day: z.iso.date().describe('The day that is served'),
  data_as_of: z.iso.datetime().describe('Point in time that the data reflect'),
  published_at: z.iso.datetime().describe('When the release was published'),
});

export const HealthLiveSchema = z.object({ status: z.literal('live').describe('Always') }).meta({ id: 'HealthLive' });
export const HealthReadySchema = z
  .object({
    status: z.literal('ready').describe('There is a release to answer from'),
    release: ReleaseSchema.describe('The release that is served'),
    problem: HealthProblemSchema,
  })
  .meta({ id: 'HealthReady' });
export const HealthStartingSchema = z
  .object({
    status: z.literal('starting').describe('There is no release to answer from yet'),
    problem: HealthProblemSchema,
  })
  .meta({ id: 'HealthStarting' });

/** What the service knows of its own state. */
export interface HealthSource {
  /** The release that is served; undefined before there is one. */
  readonly release: z.infer<typeof ReleaseSchema> | undefined;
  readonly problem: HealthProblem | undefined;
}

/** Why the newest release is not the one that is served. */
export interface HealthProblem {
  /** Stable and machine-readable. */
  readonly code: string;
  /** For the public. */
  readonly message: string;
  readonly since: Date;
}

/**
 * `/health/live`: the process answers. `/health/ready`: it has a release to serve; `problem` tells why that may not be the
 * newest one, which doesn't make it less ready: yesterday's data are better than none (specification "Health and metrics").
 */
export function addHealth(app: FastifyInstance, source: HealthSource): void {
  app.get('/health/live', async (_, reply) => reply.header('Cache-Control', 'no-store').send({ status: 'live' }));
  app.get('/health/ready', async (_, reply) => {
    const { release, problem } = source;
    const told = problem === undefined ? null : bodyOf(problem);
    reply.header('Cache-Control', 'no-store');
    if (release === undefined) return reply.code(503).send({ status: 'starting', problem: told });
    const { day, data_as_of: dataAsOf, published_at: publishedAt } = release;
    return reply.send({
      status: 'ready',
      release: { day, data_as_of: dataAsOf, published_at: publishedAt },
      problem: told,
    });
  });
}

function bodyOf({ code, message, since }: HealthProblem): z.infer<typeof HealthProblemSchema> {
  return { code, message, since: since.toISOString() };
}
