import type { ConsoleDigests } from '../../api/console/console-deps.ts';
import { isLive } from '../../api/data/access/rights.ts';
import type { ControlDatabase } from '../../api/database/control-database.ts';
import { getServiceSecret } from '../../api/database/service-values.ts';
import { StopLinks } from '../../api/digests/digests.ts';
import type { Config } from './config.ts';
import { servicePublicUrl } from './configured-accounts.ts';

/** Why no digest can be sent, for people; undefined if they can. */
export function findDigestProblem(config: Config): string | undefined {
  const missing = config.mail.smtp === undefined ? 'MODELSTATS_SMTP' : 'MODELSTATS_PUBLIC_URL';
  if (config.mail.smtp !== undefined && servicePublicUrl(config) !== undefined) return undefined;
  const why = config.mail.smtp === undefined ? 'it has no mail server' : 'its public address is not set';
  return `This service sends no digests: ${why}. Its operator can change that (${missing}).`;
}

export function areDigestsOffered({ capabilities }: Config): boolean {
  return isLive(capabilities.states, 'digest', undefined);
}

export async function openStopLinks({ kysely }: ControlDatabase, now: Date): Promise<StopLinks> {
  return new StopLinks(await getServiceSecret(kysely, 'digest-links', now));
}

/** Undefined if the capability is off. */
export async function configuredDigests(
  config: Config,
  { database, clock }: { readonly database: ControlDatabase; readonly clock: () => Date },
): Promise<ConsoleDigests | undefined> {
  if (!areDigestsOffered(config)) return undefined;
  const stopLinks = await openStopLinks(database, clock());
  return { stopLinks, hour: config.digests.hour, problem: findDigestProblem(config) };
}
