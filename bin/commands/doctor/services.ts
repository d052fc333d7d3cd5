import { existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { readRedisTime } from '../../../api/accounts/limits/redis-counter.ts';
import { checkSmtp } from '../../../api/accounts/mailer.ts';
import { sqliteFileFromUrl } from '../../../api/database/open-database.ts';
import { SECRET_KEY_BYTES, SecretKeys } from '../../../api/webhooks/endpoints/signature.ts';
import { messageFromError } from '../../../runtime/errors.ts';
import { shownAddress } from '../../../runtime/shown-address.ts';
import type { Config } from '../../config/config.ts';
import { configuredKeyBytes } from '../../config/secret-keys-file.ts';
import { compareClocks, type Finding, fail, hasAccounts, ok, type Setup, warn } from './check.ts';

/** Whether the control database can be read, is of this version, and agrees on the time. */
export async function checkDatabase(setup: Setup): Promise<Finding | undefined> {
  if (!hasAccounts(setup)) return undefined;
  const { config, clock, prerequisites } = setup;
  const shown = shownAddress(config.database.url);
  const look = await prerequisites.database();
  if (look === undefined) return ok(`${shown} is not there yet: made when it is needed`);
  const { pending, unknown, now } = look;
  if (unknown.length > 0)
    return fail(
      `${shown} was changed by a newer version (${unknown.join(', ')})`,
      'use that version of modelstats, or newer',
    );
  const clocks = now === undefined ? undefined : compareClocks(clock(), now, shown);
  if (clocks !== undefined && clocks.result !== 'ok') return clocks;
  if (pending.length > 0)
    return warn(
      `${shown} lacks ${pending.length} migrations (${pending.at(0)} to ${pending.at(-1)})`,
      'back it up; the next start of serve or dispatch, or any command of accounts, makes them',
    );
  return ok(`${shown} answers, and is of this version`);
}

const RESTORE = 'put the old key back, or give each endpoint a new secret: modelstats webhooks rotate-secret ID';

/** Whether the keys for secrets at rest are there, nobody else reads them, and they open the secrets that there are. */
export async function checkSecretKeys(setup: Setup): Promise<Finding | undefined> {
  if (!hasAccounts(setup)) return undefined;
  const { config, prerequisites } = setup;
  const file = keyFileOf(config);
  if (file !== undefined && !existsSync(file)) {
    const needed = (await prerequisites.database())?.sealed.length ?? 0;
    if (needed > 0) return fail(`${file} is missing, and ${needed} secrets need it`, RESTORE);
    return ok(`${file} is not there yet: made when it is needed`);
  }
  if (config.secrets.keys === undefined && file === undefined) return missing(await countSealed(setup));
  // First of all: that they are some is no matter of the database.
  const keys = new SecretKeys(await configuredKeyBytes(config));
  const sealed = (await prerequisites.database())?.sealed ?? [];
  const closed = sealed.filter(({ id, sealed_secret }) => !opens(keys, id, sealed_secret));
  if (closed.length > 0) return fail(`${closed.length} of ${sealed.length} secrets can't be opened`, RESTORE);
  if (file !== undefined && (await isReadByOthers(file)))
    return warn(`others on this machine may read ${file}`, `chmod 600 ${file}`);
  const where = file ?? 'MODELSTATS_SECRET_KEYS';
  return ok(`${where}: ${sealed.length === 0 ? 'no secrets yet' : `opens all ${sealed.length} secrets`}`);
}

/** 0 as well where the database can't be read, which is told of the database. */
async function countSealed({ prerequisites }: Setup): Promise<number> {
  const look = await prerequisites.database().catch(() => undefined);
  return look?.sealed.length ?? 0;
}

/** Keys have to be set, and are not: what is wrong depends on whether anything needs them yet. */
function missing(sealed: number): Finding {
  const remedy = `set MODELSTATS_SECRET_KEYS, the same for every process: openssl rand -base64 ${SECRET_KEY_BYTES}`;
  if (sealed > 0) return fail(`MODELSTATS_SECRET_KEYS is not set, and ${sealed} secrets need it`, remedy);
  return warn('MODELSTATS_SECRET_KEYS is not set: webhooks and the console need it with PostgreSQL', remedy);
}

/** The file that the key lies in; undefined where it is configured, or has to be. */
function keyFileOf({ secrets, database }: Config): string | undefined {
  const file = secrets.keys === undefined ? sqliteFileFromUrl(database.url) : undefined;
  return file === undefined ? undefined : `${resolve(file)}.key`;
}

function opens(keys: SecretKeys, id: string, sealed: string): boolean {
  try {
    keys.open(sealed, id);
    return true;
  } catch (error) {
    return messageFromError(error) === '';
  }
}

async function isReadByOthers(file: string): Promise<boolean> {
  await readFile(file);
  return process.platform !== 'win32' && ((await stat(file)).mode & 0o077) !== 0;
}

/** Longer than a request waits for it: here a slow one is to be told from one that is gone. */
const TIMEOUT_MS = 3_000;

export async function checkRedis({ config, clock }: Setup): Promise<Finding | undefined> {
  if (config.burst.redis === undefined) return undefined;
  try {
    return compareClocks(
      clock(),
      await readRedisTime(config.burst.redis, { timeoutMs: TIMEOUT_MS }),
      shownAddress(config.burst.redis),
    );
  } catch (error) {
    return fail(messageFromError(error), 'until it answers each server counts requests per minute for itself');
  }
}

export async function checkMail({ config }: Setup): Promise<Finding | undefined> {
  if (config.mail.smtp === undefined) return undefined;
  try {
    await checkSmtp(config.mail.smtp, { timeoutMs: config.mail.timeoutMs });
    return ok(`${shownAddress(config.mail.smtp)} answers; nothing was sent`);
  } catch (error) {
    return fail(
      messageFromError(error),
      'nobody can sign in by a link, or is told of a revoked webhook, until it does',
    );
  }
}
