import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { finishAnswers } from '../../../api/server/connections.ts';
import type { ViewFollower } from '../../../api/view/follow/view-follower.ts';

export interface StopTimes {
  /** For which it still answers everything, less than all of it, so that whoever asks `/health/ready` can stop sending requests (decision 0093). */
  readonly drainMs: number;
  /** For all of it; then connections of requests that still run are closed. */
  readonly timeoutMs: number;
}

/** Ends a server without losing a request: what comes while it drains is answered, and what has begun may finish. */
export async function stopServing(
  { app, follower }: { readonly app: FastifyInstance; readonly follower: ViewFollower },
  { drainMs, timeoutMs }: StopTimes,
): Promise<void> {
  const timer = setTimeout(() => app.server.closeAllConnections(), timeoutMs);
  try {
    await sleep(drainMs);
    await finishAnswers(app.server);
    await app.close();
    await follower.stop();
  } finally {
    clearTimeout(timer);
  }
}
