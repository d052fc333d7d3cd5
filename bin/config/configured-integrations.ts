import type { Actor } from '../../api/accounts/actor.ts';
import type { ControlDatabase } from '../../api/database/control-database.ts';
import { CHECKS_AT_ONCE_MAX } from '../../api/integrations/check-service.ts';
import type { OfferedTo } from '../../api/integrations/claims.ts';
import { limitConcurrency } from '../../api/integrations/declaration.ts';
import { Integrations, type IntegrationsDeps } from '../../api/integrations/integrations.ts';
import { PAGE_LIMITS, pageChecker } from '../../api/integrations/page/page-check.ts';
import { AppError } from '../../runtime/errors.ts';
import { findUrlProblem } from '../../runtime/outbound/address-check.ts';
import { Outbound } from '../../runtime/outbound/outbound.ts';
import type { Config } from './config.ts';
import { operator, publicUrlOf, withDatabase } from './configured-accounts.ts';
import { outboundSettings } from './configured-webhooks.ts';

/** Of a command's context, what integrations need. */
export interface IntegrationContext {
  readonly config: Config;
  readonly clock: () => Date;
  readonly toolVersion: string;
}

export interface OpenedIntegrations {
  readonly as: (actor: Actor) => Integrations;
  /** Ends the connections of checks that were asked for. */
  close(): Promise<void>;
}

/**
 * Opens integrations on a control database.
 * @param onChange called when something was changed, such as a bonus
 */
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

/** Runs an operator's work on integrations. `not_found` becomes `usage`: the operator named something that doesn't exist. */
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

/** The guard that checks go through. */
export function openCheckOutbound(config: Config, toolVersion: string): Outbound {
  const connectTimeoutMs = PAGE_LIMITS.robotsTimeoutMs;
  return new Outbound({
    ...outboundSettings(config, { toolVersion }),
    connectTimeoutMs,
    connectionsMax: CHECKS_AT_ONCE_MAX,
  });
}

/** Where links to the service lead; undefined where that isn't told: what it listens on is no address that others link to. */
export function servicePublicUrl(config: Config): string | undefined {
  return config.address.publicUrl === undefined ? undefined : publicUrlOf(config);
}

/** {@link servicePublicUrl}; throws `configuration` where it isn't told. */
export function getServicePublicUrl(config: Config): string {
  const publicUrl = servicePublicUrl(config);
  if (publicUrl !== undefined) return publicUrl;
  throw new AppError('configuration', 'MODELSTATS_PUBLIC_URL is not set: nobody knows which links lead to the service');
}

/** Whom integrations are offered to. */
export function offeredTo({ capabilities }: Config): OfferedTo {
  const state = capabilities.states.attribution ?? 'live';
  if (state === 'live') return 'everybody';
  return state === 'planned' ? [] : state.pilot;
}
