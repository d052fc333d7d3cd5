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
  /** Overrides the configuration: scheme, host and base path. */
  readonly publicUrl?: string;
  /** Called after a change of members or connections. */
  readonly onChange?: () => void;
}

/**
 * Opens people on a server's control database with the configured mailer; closing closes both. Rejects with
 * `configuration` without the secret of sessions.
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
    // Otherwise a session of one day would end before it is extended.
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
    if (lines.hasWarned()) throw new AppError('unavailable', 'the command was only partly done: see above');
    return result;
  });
}

/** Connects only to send. */
export async function openConfiguredMailer(config: Config, log: Pick<BaseLogger, 'info'>): Promise<Mailer> {
  const { openMailer } = await import('../../api/accounts/mailer.ts');
  return openMailer({ ...config.mail, folder: resolve(config.mail.folder), log });
}

function lineLog(line: (text: string) => void): Pick<BaseLogger, 'info' | 'warn'> & { hasWarned(): boolean } {
  let hasWarned = false;
  const print = (fields: unknown, message?: unknown) => line(`${String(message)} ${JSON.stringify(fields)}`);
  return {
    info: print,
    warn(fields: unknown, message?: unknown) {
      hasWarned = true;
      print(fields, message);
    },
    hasWarned: () => hasWarned,
  };
}

/**
 * The secret that signs session cookies, derived from the first key for secrets at rest: a copy of the control database
 * alone signs nobody in. Another first key ends all sessions.
 */
async function sessionSecret(config: Config): Promise<string> {
  const [key = Buffer.alloc(0)] = await configuredKeyBytes(config);
  return Buffer.from(hkdfSync('sha256', key, '', 'modelstats sessions', 32)).toString('base64');
}
