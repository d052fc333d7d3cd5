import type { Accounts } from '../../../api/accounts/accounts.ts';
import { type Capability, isLive } from '../../../api/data/access/capabilities.ts';
import type { AddFace, ApiDeps } from '../../../api/data/app.ts';
import { makeGuide } from '../../../api/guide/guide.ts';
import { mcpFace } from '../../../api/mcp/mcp.ts';
import { OAUTH_REQUESTS_PER_MINUTE, type OAuthSettings } from '../../../api/mcp/oauth/oauth-routes.ts';
import { PUBLIC_ROUTES, publicFace } from '../../../api/site/public.ts';
import type { CommandContext } from '../../cli/command-context.ts';
import { publicUrlOf } from '../../config/accounts/public-url.ts';
import type { Config } from '../../config/config.ts';
import { publicSettings } from '../../config/service/configured-api.ts';
import type { OpenedConsole } from '../../config/service/configured-console.ts';

export interface FacesDeps extends Pick<CommandContext, 'clock' | 'toolVersion'> {
  readonly accounts: Accounts;
  /** Undefined where it isn't served. */
  readonly console: OpenedConsole | undefined;
}

/** All that is served beside the API: the documentation, pages for people, MCP, and what needs no key. */
export async function openFaces(
  config: Config,
  { accounts, console, clock, toolVersion }: FacesDeps,
): Promise<Required<Pick<ApiDeps, 'faces' | 'openRoutes' | 'showErrorPage'>>> {
  const hasConsole = console !== undefined;
  const isThere = (capability: Capability) => isLive(config.CAPABILITIES, capability, undefined);
  const guide = await makeGuide({
    root: config.BASE_PATH,
    hasConsole,
    isLive: isThere,
    backstop: config.BACKSTOP,
    failedAttemptsMax: config.FAILED_ATTEMPTS_MAX,
    publicRequestsMax: config.PUBLIC_REQUESTS_MAX,
  });
  const oauth = oauthSettings(config, { accounts, console });
  return {
    faces: [
      guide.face,
      ...(console === undefined ? [] : [console.face]),
      ...mcpFaces(config, { version: toolVersion, oauth }),
      publicFace({ clock, hasConsole, isLive: isThere, ...publicSettings(config) }),
    ],
    openRoutes: isThere('embeds') ? PUBLIC_ROUTES : [],
    showErrorPage: guide.showErrorPage,
  };
}

/** MCP, unless it is not live for anybody: then its path is as unknown as any. */
function mcpFaces(
  { CAPABILITIES, PUBLIC_URL }: Config,
  { version, oauth }: { readonly version: string; readonly oauth: OAuthSettings | undefined },
): readonly AddFace[] {
  return CAPABILITIES.mcp === 'planned' ? [] : [mcpFace({ publicUrl: PUBLIC_URL, version, oauth })];
}

/** Programs are connected where there are pages to do it on. */
function oauthSettings(
  config: Config,
  { accounts, console }: Pick<FacesDeps, 'accounts' | 'console'>,
): OAuthSettings | undefined {
  const authorization = console?.authorization;
  if (authorization === undefined) return undefined;
  const publicUrl = publicUrlOf(config);
  return { authorization, publicUrl, accounts, requestsPerMinute: OAUTH_REQUESTS_PER_MINUTE };
}
