import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll } from 'vitest';
import { type ErrorTable, HTTP_ERROR_STATUS } from '../../../http/errors/http-error.ts';
import { Metrics } from '../../../http/metrics.ts';
import { createServer } from '../../../http/server.ts';

const SETTINGS = {
  basePath: '/base',
  publicUrl: undefined,
  trustedProxies: [],
  requestTimeoutMs: 30_000,
  keepAliveTimeoutMs: 5_000,
  compressFromBytes: 1024,
  metricsToken: undefined,
};

/** The codes of the shell alone, each with words of its own. */
export const SHELL_ERRORS = Object.fromEntries(
  Object.entries(HTTP_ERROR_STATUS).map(([code, status]) => [
    code,
    { status, title: `title of ${code}`, help: 'help' },
  ]),
) as ErrorTable; // Of the table's own keys.

/** The HTTP shell around routes of a test's own, below `/base`. */
export function useShell(routes: (app: FastifyInstance) => Promise<void>): { readonly app: FastifyInstance } {
  let opened: FastifyInstance | undefined;
  beforeAll(async () => {
    opened = await createServer(SETTINGS, {
      logger: undefined,
      metrics: new Metrics(),
      readiness: () => ({ isReady: true, body: {} }),
      errors: SHELL_ERRORS,
      keyPrefix: 'key_',
      routes,
    });
  });
  afterAll(() => opened?.close());
  return {
    get app() {
      if (opened === undefined) throw new Error('the shell is open only while the tests run');
      return opened;
    },
  };
}
