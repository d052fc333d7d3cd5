/**
 * The console: pages rendered on the server (specification "Console"). It shows responses of the API and makes changes
 * by the functions of the command line.
 */
import type { AddSurface } from '../data/app.ts';
import type { ConsoleDeps, PageDeps } from './console-deps.ts';
import { changesPageRoute } from './data/changes.tsx';
import { costPageRoute } from './data/cost.tsx';
import { lifecyclePageRoute } from './data/lifecycle.tsx';
import { modelPageRoute } from './data/model.tsx';
import { modelsRoutes } from './data/models.tsx';
import { pricesPageRoute } from './data/prices.tsx';
import { rankingsPageRoute } from './data/rankings.tsx';
import { snapshotsRoutes } from './data/snapshots.tsx';
import { sourcesPageRoute } from './data/sources.tsx';
import { auditRoute } from './organization/audit.tsx';
import { integrationRoutes } from './organization/integration.tsx';
import { integrationsRoutes } from './organization/integrations.tsx';
import { keysRoutes } from './organization/keys.tsx';
import { membersRoutes } from './organization/members.tsx';
import { overviewRoute } from './organization/overview.tsx';
import { settingsRoutes } from './organization/settings.tsx';
import { usageRoutes } from './organization/usage.tsx';
import { connectRoutes } from './people/connect.tsx';
import { connectionsRoutes } from './people/connections.tsx';
import { stopDigestRoutes } from './people/digest.tsx';
import { undoPasswordRoutes } from './people/link-pages.tsx';
import { signInRoutes } from './people/sign-in.tsx';
import { welcomeRoutes } from './people/welcome.tsx';
import { youRoutes } from './people/you.tsx';
import { bindConsole } from './shell/bind.ts';
import type { ConsoleRoute } from './shell/routes.ts';
import { deliveryRoutes } from './webhooks/delivery.tsx';
import { endpointRoutes } from './webhooks/endpoint.tsx';
import { endpointsRoutes } from './webhooks/endpoints.tsx';

/** Serves the console at `/console`, below the base path. */
export function consoleSurface({ formKey, ...deps }: ConsoleDeps): AddSurface {
  return async (app, { answers, views, baseUrlOf }) => {
    const bindDeps = { ...deps, answers, views, formKey, baseUrlOf };
    await app.register(async (scope) => bindConsole(scope, consoleRoutes(bindDeps), bindDeps), { prefix: '/console' });
  };
}

export function consoleRoutes(deps: PageDeps): readonly ConsoleRoute[] {
  return [
    ...signInRoutes(deps),
    ...undoPasswordRoutes(deps),
    ...welcomeRoutes(deps),
    ...youRoutes(deps),
    ...stopDigestRoutes(deps),
    overviewRoute(deps),
    ...keysRoutes(deps),
    ...usageRoutes(deps),
    ...modelsRoutes(deps),
    modelPageRoute(deps),
    lifecyclePageRoute(deps),
    pricesPageRoute(deps),
    costPageRoute(deps),
    rankingsPageRoute(deps),
    changesPageRoute(deps),
    ...snapshotsRoutes(deps),
    sourcesPageRoute(deps),
    ...endpointsRoutes(deps),
    ...endpointRoutes(deps),
    ...deliveryRoutes(deps),
    ...integrationsRoutes(deps),
    ...integrationRoutes(deps),
    ...connectionsRoutes(deps),
    ...connectRoutes(deps),
    ...membersRoutes(deps),
    auditRoute(deps),
    ...settingsRoutes(deps),
  ];
}
