import { hkdfSync } from 'node:crypto';
import { resolve } from 'node:path';
import type { BaseLogger } from 'pino';
import type { AuditedChanges } from '../../api/accounts/audit.ts';
import type { Mailer } from '../../api/accounts/mailer.ts';
import type { PeopleParts } from '../../api/accounts/people/open-members.ts';
import type { People } from '../../api/accounts/people/open-people.ts';
import type { PeopleSettings } from '../../api/accounts/people/people.ts';
import type { ControlDatabase } from '../../api/database/control-database.ts';
import { AppError } from '../../runtime/errors.ts';
import type { Config } from './config.ts';
import { mcpResourceOf, operator, publicUrlOf, withDatabase } from './configured-accounts.ts';
import { configuredKeyBytes } from './secret-keys-file.ts';

export interface ConfiguredPeopleOptions {
  readonly clock?: () => Date;
  readonly log: Pick<BaseLogger, 'info' | 'warn'>;
  /** Where it is known better than the configuration says: scheme, host and base path. */
  readonly publicUrl?: string;
  /** Called when members or connections were changed. */
  readonly onChange?: () => void;
}

/**
 * Opens people on a server's control database, with the mailer that is configured; closing them closes it. Rejects with
 * `configuration` where the secret behind their sessions is not known.
 */
export async function openConfiguredPeople(
  config: Config,
  database: ControlDatabase,
  { clock = () => new Date(), log, publicUrl = publicUrlOf(config), onChange }: ConfiguredPeopleOptions,
): Promise<People> {
  const { openPeople } = await import('../../api/accounts/people/open-people.ts');
  const { sessionMs, sessionRefreshMs } = config.people;
  const resource = mcpResourceOf(config);
  const settings: PeopleSettings = {
    ...config.people,
    publicUrl,
    secret: await sessionSecret(config),
    // In use, a session of a day would else be over before it is prolonged.
    sessionRefreshMs: Math.min(sessionRefreshMs, sessionMs / 2),
    limits: config.peopleLimits,
    connections: resource === undefined ? undefined : { ...config.tokens, resource },
  };
  const mailer = await openConfiguredMailer(config, log);
  const people = await openPeople(settings, { database, mailer, log, clock, ...(onChange && { onChange }) });
  const close = async () => {
    await people.close();
    mailer.close();
  };
  return { ...people, close };
}

/** Runs an operator's work on members and connections. `not_found` becomes `usage`: the operator named something that doesn't exist. */
export async function withMembers<T>(
  { config, clock, log }: { readonly config: Config; readonly clock: () => Date; readonly log: (line: string) => void },
  work: (changes: AuditedChanges, parts: PeopleParts) => Promise<T>,
): Promise<T> {
  const { openMembers } = await import('../../api/accounts/people/open-members.ts');
  return withDatabase(config, async (database) => {
    const lines = lineLog(log);
    const mailer = await openConfiguredMailer(config, lines);
    const settings = { publicUrl: publicUrlOf(config), signUp: config.people.signUp, limits: config.peopleLimits };
    const opened = openMembers(settings, { database, mailer, log: lines, clock });
    let result: T;
    try {
      result = await work(opened.as(operator()), opened);
    } finally {
      await opened.close();
      mailer.close();
    }
    if (lines.hasWarned()) throw new AppError('unavailable', 'it was done, but not everything: see above');
    return result;
  });
}

/** The mailer that is configured; nothing is connected before the first mail. */
export async function openConfiguredMailer(config: Config, log: Pick<BaseLogger, 'info'>): Promise<Mailer> {
  const { openMailer } = await import('../../api/accounts/mailer.ts');
  return openMailer({ ...config.mail, folder: resolve(config.mail.folder), log });
}

/** What a logger would get, as lines for an operator. */
function lineLog(line: (text: string) => void): Pick<BaseLogger, 'info' | 'warn'> & { hasWarned(): boolean } {
  let hasWarned = false;
  const tell = (fields: unknown, message?: unknown) => line(`${String(message)} ${JSON.stringify(fields)}`);
  return {
    info: tell,
    warn(fields: unknown, message?: unknown) {
      hasWarned = true;
      tell(fields, message);
    },
    hasWarned: () => hasWarned,
  };
}

/**
 * What signs the cookies of sessions: derived from the first key for secrets at rest, so that it is not in the control database, whose
 * copy alone therefore signs nobody in. Another first key ends all sessions.
 */
async function sessionSecret(config: Config): Promise<string> {
  const [key = Buffer.alloc(0)] = await configuredKeyBytes(config);
  return Buffer.from(hkdfSync('sha256', key, '', 'modelstats sessions', 32)).toString('base64');
}
