import type { Actor } from '../../api/accounts/actor.ts';
import type { ControlDatabase } from '../../api/database/control-database.ts';
import { CHECKS_AT_ONCE_MAX } from '../../api/integrations/check-service.ts';
import type { OfferedTo } from '../../api/integrations/claims.ts';
import { limitConcurrency } from '../../api/integrations/declaration.ts';
import { Integrations, type IntegrationsDeps } from '../../api/integrations/integrations.ts';
import { PAGE_LIMITS, pageChecker } from '../../api/integrations/page/page-check.ts';
import { findUrlProblem } from '../../runtime/outbound/address-check.ts';
import { Outbound } from '../../runtime/outbound/outbound.ts';
import type { Config } from './config.ts';
import { operator, publicUrlOf, servicePublicUrl, withDatabase } from './configured-accounts.ts';
import { outboundSettings } from './configured-webhooks.ts';

export interface IntegrationContext {
  readonly config: Config;
  readonly clock: () => Date;
  readonly toolVersion: string;
}

export interface OpenedIntegrations {
  readonly as: (actor: Actor) => Integrations;
  close(): Promise<void>;
}

/** @param onChange called after a change, such as a bonus */
export function openConfiguredIntegrations(
  { config, clock, toolVersion }: IntegrationContext,
  { database, onChange }: { readonly database: ControlDatabase; readonly onChange?: () => void },
): OpenedIntegrations {
  const outbound = openCheckOutbound(config, toolVersion);
  const publicUrl = servicePublicUrl(config);
  const deps: IntegrationsDeps = {
    database: database.kysely,
    clock,
    ...(onChange && { onChange }),
    publicUrl,
    offeredTo: offeredTo(config),
    findUrlProblem: (url) => findUrlProblem(url, { allow: config.outbound.allow, protocols: ['https:', 'http:'] }),
    checkPage: limitConcurrency(pageChecker({ outbound, publicUrl: publicUrl ?? publicUrlOf(config), toolVersion })),
  };
  return { as: (actor) => new Integrations(deps, actor), close: () => outbound.close() };
}

export function withIntegrations<T>(
  context: IntegrationContext,
  work: (integrations: Integrations) => Promise<T>,
): Promise<T> {
  return withDatabase(context.config, async (database) => {
    const opened = openConfiguredIntegrations(context, { database });
    try {
      return await work(opened.as(operator()));
    } finally {
      await opened.close();
    }
  });
}

export function openCheckOutbound(config: Config, toolVersion: string): Outbound {
  const connectTimeoutMs = PAGE_LIMITS.robotsTimeoutMs;
  return new Outbound({
    ...outboundSettings(config, { toolVersion }),
    connectTimeoutMs,
    connectionsMax: CHECKS_AT_ONCE_MAX,
  });
}

export function offeredTo({ capabilities }: Config): OfferedTo {
  const state = capabilities.states.attribution ?? 'live';
  if (state === 'live') return 'everybody';
  return state === 'planned' ? [] : state.pilot;
}
