/**
 * The console: pages for people, made on the server (specification "Console"). It does nothing of its own: what it shows comes from the
 * API's answers, and what it changes goes through the functions that the command line calls.
 */
import type { AddFace } from '../api/app.ts';
import type { ConsoleDeps } from './console-deps.ts';
import { consoleRoutes } from './console-routes.ts';
import { bindConsole } from './shell/bind.ts';

/** Adds the console at `/console`, below the base path. */
export function consoleFace({ formKey, ...deps }: ConsoleDeps): AddFace {
  return async (app, { answers, views, baseUrlOf }) => {
    const bindDeps = { ...deps, answers, views, formKey, baseUrlOf };
    await app.register(async (scope) => bindConsole(scope, consoleRoutes(bindDeps), bindDeps), { prefix: '/console' });
  };
}
