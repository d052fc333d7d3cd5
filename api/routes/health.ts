import type { FastifyInstance } from 'fastify';
import { isAppError } from '../../schemas/errors.ts';
import type { View } from '../view/view.ts';
import type { ViewProblem } from '../view/view-follower.ts';

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
  const options = { schema: { hide: true } };
  app.get('/health/live', options, async (_, reply) =>
    reply.header('Cache-Control', 'no-store').send({ status: 'live' }),
  );
  app.get('/health/ready', options, async (_, reply) => {
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

function describeProblem({ since, error }: ViewProblem) {
  const code = isAppError(error) ? error.code : 'internal_error';
  return { code, message: isAppError(error) ? error.message : 'see the log', since: since.toISOString() };
}
