import type { PageDeps } from './console-deps.ts';
import { signInRoutes } from './people/sign-in.tsx';
import { welcomeRoutes } from './people/welcome.tsx';
import { youRoutes } from './people/you.tsx';
import type { ConsoleRoute } from './shell/routes.ts';

/** Every page and every form of the console. */
export function consoleRoutes(deps: PageDeps): readonly ConsoleRoute[] {
  return [...signInRoutes(deps), ...welcomeRoutes(deps), ...youRoutes(deps)];
}
