import { existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { sqliteFileFromUrl } from '../../../../api/database/open-database.ts';
import { SECRET_KEY_BYTES, SecretKeys } from '../../../../api/webhooks/signing/secret-keys.ts';
import { messageFromError } from '../../../../runtime/errors.ts';
import { configuredKeyBytes } from '../../../config/accounts/secret-keys-file.ts';
import type { Config } from '../../../config/config.ts';
import { type Finding, fail, ok, type Setup, warn } from '../finding.ts';
import { hasAccounts } from '../use.ts';

const RESTORE = 'put the old key back, or give each endpoint a new secret: modelstats webhooks rotate-secret ID';

/** Whether the keys for secrets at rest are there, nobody else reads them, and they open the secrets that there are. */
export async function checkSecretKeys(setup: Setup): Promise<Finding | undefined> {
  if (!hasAccounts(setup)) return undefined;
  const { config, grounds } = setup;
  const file = keyFileOf(config);
  if (file !== undefined && !existsSync(file)) {
    const needed = (await grounds.database())?.sealed.length ?? 0;
    if (needed > 0) return fail(`${file} is missing, and ${needed} secrets need it`, RESTORE);
    return ok(`${file} is not there yet: made when it is needed`);
  }
  if (config.SECRET_KEYS === undefined && file === undefined) return missing(await countSealed(setup));
  // First of all: that they are some is no matter of the database.
  const keys = new SecretKeys(await configuredKeyBytes(config), () => new Uint8Array());
  const sealed = (await grounds.database())?.sealed ?? [];
  const closed = sealed.filter(({ id, sealed_secret }) => !opens(keys, id, sealed_secret));
  if (closed.length > 0) return fail(`${closed.length} of ${sealed.length} secrets can't be opened`, RESTORE);
  if (file !== undefined && (await isReadByOthers(file)))
    return warn(`others on this machine may read ${file}`, `chmod 600 ${file}`);
  const where = file ?? 'MODELSTATS_SECRET_KEYS';
  return ok(`${where}: ${sealed.length === 0 ? 'no secrets yet' : `opens all ${sealed.length} secrets`}`);
}

/** 0 as well where the database can't be read, which is told of the database. */
async function countSealed({ grounds }: Setup): Promise<number> {
  const look = await grounds.database().catch(() => undefined);
  return look?.sealed.length ?? 0;
}

/** Keys have to be set, and are not: what is wrong depends on whether anything needs them yet. */
function missing(sealed: number): Finding {
  const remedy = `set MODELSTATS_SECRET_KEYS, the same for every process: openssl rand -base64 ${SECRET_KEY_BYTES}`;
  if (sealed > 0) return fail(`MODELSTATS_SECRET_KEYS is not set, and ${sealed} secrets need it`, remedy);
  return warn('MODELSTATS_SECRET_KEYS is not set: webhooks and the console need it with PostgreSQL', remedy);
}

/** The file that the key lies in; undefined where it is configured, or has to be. */
function keyFileOf({ SECRET_KEYS, DATABASE }: Config): string | undefined {
  const database = SECRET_KEYS === undefined ? sqliteFileFromUrl(DATABASE) : undefined;
  return database === undefined ? undefined : `${resolve(database)}.key`;
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
