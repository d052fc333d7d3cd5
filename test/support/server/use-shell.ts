import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll } from 'vitest';
import { Metrics } from '../../../api/server/metrics.ts';
import { createServer } from '../../../api/server/server.ts';
import { SERVER_SETTINGS, SHELL_ERRORS } from './start-server.ts';

/** The HTTP shell around routes of a test's own, below `/base`. */
export function useShell(routes: (app: FastifyInstance) => Promise<void>): { readonly app: FastifyInstance } {
  let opened: FastifyInstance | undefined;
  beforeAll(async () => {
    opened = await createServer(
      { ...SERVER_SETTINGS, basePath: '/base' },
      {
        logger: undefined,
        metrics: new Metrics(),
        readiness: () => ({ isReady: true, body: {} }),
        errors: SHELL_ERRORS,
        keyPrefix: 'key_',
        routes,
      },
    );
  });
  afterAll(() => opened?.close());
  return {
    get app() {
      if (opened === undefined) throw new Error('the shell is open only while the tests run');
      return opened;
    },
  };
}
