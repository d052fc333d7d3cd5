import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll } from 'vitest';
import { Metrics } from '../../../http/metrics.ts';
import { createServer } from '../../../http/server.ts';
import { SERVER_SETTINGS } from './start-server.ts';

/** The HTTP shell around routes of a test's own, below `/base`. */
export function useShell(routes: (app: FastifyInstance) => Promise<void>): { readonly app: FastifyInstance } {
  let opened: FastifyInstance | undefined;
  beforeAll(async () => {
    const health = { release: undefined, problem: undefined };
    opened = await createServer(
      { ...SERVER_SETTINGS, basePath: '/base' },
      { logger: undefined, metrics: new Metrics(), health, routes },
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
