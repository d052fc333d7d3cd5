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

export async function checkDatabase(setup: Setup): Promise<Finding | undefined> {
  if (!hasAccounts(setup)) return undefined;
  const { config, clock, prerequisites } = setup;
  const shown = shownAddress(config.database.url);
  const found = await prerequisites.database();
  if (found === undefined) return ok(`${shown} does not exist yet: created when needed`);
  const { pending, unknown, now } = found;
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
      'back it up; the next start of serve or dispatch, or an accounts command, applies them',
    );
  return ok(`${shown} responds and has the current version`);
}

const RESTORE = 'restore the old key, or give each endpoint a new secret: modelstats webhooks rotate-secret ID';

/** Whether the keys exist, are private, and open all secrets. */
export async function checkSecretKeys(setup: Setup): Promise<Finding | undefined> {
  if (!hasAccounts(setup)) return undefined;
  const { config, prerequisites } = setup;
  const file = keyFileOf(config);
  if (file !== undefined && !existsSync(file)) {
    const sealedCount = (await prerequisites.database())?.sealed.length ?? 0;
    if (sealedCount > 0) return fail(`${file} is missing, and ${sealedCount} secrets need it`, RESTORE);
    return ok(`${file} does not exist yet: created when needed`);
  }
  if (config.secrets.keys === undefined && file === undefined) return missing(await countSealed(setup));
  // First: the keys' validity doesn't depend on the database.
  const keys = new SecretKeys(await configuredKeyBytes(config));
  const sealed = (await prerequisites.database())?.sealed ?? [];
  const closed = sealed.filter(({ id, sealed_secret }) => !opens(keys, id, sealed_secret));
  if (closed.length > 0) return fail(`${closed.length} of ${sealed.length} secrets can't be opened`, RESTORE);
  if (file !== undefined && (await isReadByOthers(file)))
    return warn(`other users of this machine can read ${file}`, `chmod 600 ${file}`);
  const where = file ?? 'MODELSTATS_SECRET_KEYS';
  return ok(`${where}: ${sealed.length === 0 ? 'no secrets yet' : `opens all ${sealed.length} secrets`}`);
}

/** 0 also if the database can't be read, which its own check reports. */
async function countSealed({ prerequisites }: Setup): Promise<number> {
  const found = await prerequisites.database().catch(() => undefined);
  return found?.sealed.length ?? 0;
}

/** Keys must be set but aren't; whether that is a failure depends on existing secrets. */
function missing(sealed: number): Finding {
  const remedy = `set MODELSTATS_SECRET_KEYS, the same for every process: openssl rand -base64 ${SECRET_KEY_BYTES}`;
  if (sealed > 0) return fail(`MODELSTATS_SECRET_KEYS is not set, and ${sealed} secrets need it`, remedy);
  return warn('MODELSTATS_SECRET_KEYS is not set: webhooks and the console need it with PostgreSQL', remedy);
}

/** Undefined if the key is, or must be, configured. */
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

/** Longer than a request waits, to distinguish slow from unreachable. */
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
    return fail(messageFromError(error), 'until it responds, each server counts requests per minute by itself');
  }
}

export async function checkMail({ config }: Setup): Promise<Finding | undefined> {
  if (config.mail.smtp === undefined) return undefined;
  try {
    await checkSmtp(config.mail.smtp, { timeoutMs: config.mail.timeoutMs });
    return ok(`${shownAddress(config.mail.smtp)} responds; no mail was sent`);
  } catch (error) {
    return fail(messageFromError(error), 'until it works, sign-in links and notices are not sent');
  }
}
