import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { onTestFinished } from 'vitest';
import { type ErrorTable, HTTP_ERROR_STATUS } from '../../../api/server/errors/http-error.ts';
import { Metrics } from '../../../api/server/metrics.ts';
import { createServer, type ServerDeps, type ServerSettings } from '../../../api/server/server.ts';
import { CONNECTION_SETTINGS } from '../../../api/server/settings.ts';
import { defaultsOf } from '../../../runtime/setting.ts';
import { listenOnPort } from '../api/listen.ts';
import { perFile } from '../per-test.ts';

export type StartedServer = Awaited<ReturnType<typeof startServer>>;

export type LogLine = Readonly<Record<string, unknown>>;

/** The codes of the shell alone, each with words of its own. */
export const SHELL_ERRORS = Object.fromEntries(
  Object.entries(HTTP_ERROR_STATUS).map(([code, status]) => [
    code,
    { status, title: `title of ${code}`, help: 'help' },
  ]),
) as ErrorTable; // Of the table's own keys.

export const SERVER_SETTINGS: ServerSettings = {
  basePath: '',
  publicUrl: undefined,
  trustedProxies: [],
  ...defaultsOf(CONNECTION_SETTINGS),
  headersTimeoutMs: 30_000,
  keepAliveTimeoutMs: 5_000,
  compressFromBytes: 1024,
  metricsAccess: { token: undefined, isOpen: false },
};

export interface StartOptions extends Partial<Pick<ServerDeps, 'guard' | 'readiness'>> {
  readonly settings?: Partial<ServerSettings>;
}

/** The server shell with routes of the test's own; `log` is called with each line. */
function createShell(
  routes: ServerDeps['routes'],
  { settings, readiness, guard }: StartOptions,
  { metrics, log }: { readonly metrics: Metrics; readonly log: (line: LogLine) => void },
): Promise<FastifyInstance> {
  return createServer(
    { ...SERVER_SETTINGS, ...settings },
    {
      logger: pino({ level: 'trace' }, { write: (line: string) => log(JSON.parse(line)) }),
      metrics,
      readiness: readiness ?? (() => ({ isReady: true, body: {} })),
      errors: SHELL_ERRORS,
      keyPrefix: 'key_',
      guard,
      routes,
    },
  );
}

/** The shell on a free port until the test is over. */
export async function startServer(routes: ServerDeps['routes'], options: StartOptions = {}) {
  const log: LogLine[] = [];
  const metrics = new Metrics();
  const app = await createShell(routes, options, { metrics, log: (line) => log.push(line) });
  onTestFinished(async () => {
    app.server.closeAllConnections();
    await app.close();
  });
  return { app, port: await listenOnPort(app), metrics, log };
}

/** The shell of a test file, below `/base`, asked without a network. */
export function useShell(routes: ServerDeps['routes']): { readonly app: FastifyInstance } {
  return perFile(async () => {
    const own = { metrics: new Metrics(), log: () => {} };
    const app = await createShell(routes, { settings: { basePath: '/base' } }, own);
    return { app, close: () => app.close() };
  });
}
