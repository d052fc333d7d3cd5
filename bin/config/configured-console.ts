import type { Logger } from 'pino';
import type { Accounts } from '../../api/accounts/open-accounts.ts';
import type { OAuthAuthorization } from '../../api/accounts/people/oauth-authorization.ts';
import type { AddSurface } from '../../api/data/app.ts';
import type { ControlDatabase } from '../../api/database/control-database.ts';
import { DeliveryLog } from '../../api/webhooks/delivery-log.ts';
import { EndpointAdministration } from '../../api/webhooks/endpoint-administration.ts';
import type { Config } from './config.ts';
import { configuredDigests } from './configured-digests.ts';
import { openConfiguredIntegrations } from './configured-integrations.ts';
import { openConfiguredPeople } from './configured-people.ts';
import { isOfferedBy, urlCheck } from './configured-webhooks.ts';
import { configuredSecretKeys } from './secret-keys-file.ts';

export interface OpenedConsole {
  readonly surface: AddSurface;
  /** Connects programs to organizations; undefined where that is off. */
  readonly authorization: OAuthAuthorization | undefined;
  close(): Promise<void>;
}

/** Opens the console. Rejects with `configuration` if secrets of webhooks or sessions can't be read. */
export async function openConfiguredConsole(
  config: Config,
  {
    database,
    accounts,
    clock,
    toolVersion,
    log,
  }: {
    readonly database: ControlDatabase;
    readonly accounts: Accounts;
    readonly clock: () => Date;
    readonly toolVersion: string;
    readonly log: Logger;
  },
): Promise<OpenedConsole> {
  const { consoleSurface } = await import('../../api/console/console.ts');
  const deps = { database: database.kysely, clock };
  const endpointDeps = {
    ...deps,
    keys: await configuredSecretKeys(config),
    isOffered: isOfferedBy(config),
    findUrlProblem: urlCheck(config),
  };
  const people = await openConfiguredPeople(config, database, {
    clock,
    log,
    onChange: () => accounts.forgetCredentials(),
  });
  const integrations = openConfiguredIntegrations(
    { config, clock, toolVersion },
    { database, onChange: () => accounts.forgetCredentials() },
  );
  const surface = consoleSurface({
    accounts,
    people,
    webhooks: {
      endpointsAs: (actor) => new EndpointAdministration(endpointDeps, actor),
      logAs: (actor) => new DeliveryLog(deps, actor),
    },
    integrations,
    digests: await configuredDigests(config, { database, clock }),
    capabilities: config.capabilities.states,
    clock,
    formKey: await accounts.secret('console-forms'),
    settings: { publicUrl: config.address.publicUrl, pagesPerMinute: config.console.pagesPerMinute },
  });
  const close = async () => {
    await people.close();
    await integrations.close();
  };
  return { surface, authorization: people.authorization, close };
}
