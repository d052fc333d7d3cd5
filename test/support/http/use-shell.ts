import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll } from 'vitest';
import { Metrics } from '../../../http/metrics.ts';
import { createServer } from '../../../http/server.ts';

const SETTINGS = {
  basePath: '/base',
  publicUrl: undefined,
  trustedProxies: [],
  requestTimeoutMs: 30_000,
  keepAliveTimeoutMs: 5_000,
  headersTimeoutMs: 10_000,
  headersMax: 100,
  pipelinedMax: 100,
  sendTimeoutMs: 30_000,
  sendBytesMin: 1024,
  compressFromBytes: 1024,
  metricsToken: undefined,
};

/** The HTTP shell around routes of a test's own, below `/base`. */
export function useShell(routes: (app: FastifyInstance) => Promise<void>): { readonly app: FastifyInstance } {
  let opened: FastifyInstance | undefined;
  beforeAll(async () => {
    const health = { release: undefined, problem: undefined };
    opened = await createServer(SETTINGS, { logger: undefined, metrics: new Metrics(), health, routes });
  });
  afterAll(() => opened?.close());
  return {
    get app() {
      if (opened === undefined) throw new Error('the shell is open only while the tests run');
      return opened;
    },
  };
}
