import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { isAppError } from '../../schemas/errors.ts';
import type { View } from '../view/view.ts';
import type { ViewProblem } from '../view/view-follower.ts';

const ProblemSchema = z
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
    problem: ProblemSchema,
  })
  .meta({ id: 'HealthReady' });
export const HealthStartingSchema = z
  .object({ status: z.literal('starting').describe('There is no release to answer from yet'), problem: ProblemSchema })
  .meta({ id: 'HealthStarting' });

export interface HealthSource {
  readonly hasView: boolean;
  readonly problem: ViewProblem | undefined;
  current(): View;
}

/**
 * `/health/live`: the process answers. `/health/ready`: it has a release to serve; `problem` tells why that may not be the
 * newest one (DESIGN §7), which doesn't make it less ready: yesterday's data are better than none.
 */
export function addHealth(app: FastifyInstance, source: HealthSource): void {
  app.get('/health/live', async (_, reply) => reply.header('Cache-Control', 'no-store').send({ status: 'live' }));
  app.get('/health/ready', async (_, reply) => {
    const { problem } = source;
    const told = problem === undefined ? null : describeProblem(problem);
    reply.header('Cache-Control', 'no-store');
    if (!source.hasView) return reply.code(503).send({ status: 'starting', problem: told });
    const { day, data_as_of: dataAsOf, published_at: publishedAt } = source.current().newest;
    return reply.send({
      status: 'ready',
      release: { day, data_as_of: dataAsOf, published_at: publishedAt },
      problem: told,
    });
  });
}

function describeProblem({ since, error, message }: ViewProblem) {
  return { code: isAppError(error) ? error.code : 'internal_error', message, since: since.toISOString() };
}
