import { randomBytes, randomUUID } from 'node:crypto';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { sqliteFileFromUrl } from '../../api/database/open-database.ts';
import { SECRET_KEY_BYTES, SecretKeys } from '../../api/webhooks/endpoints/signature.ts';
import { AppError, codeFromError, messageFromError } from '../../runtime/errors.ts';
import { shownAddress } from '../../runtime/shown-address.ts';
import type { Config } from './config.ts';

/**
 * The keys for secrets at rest (specification "Secrets at rest"): the configured ones, else a file beside the SQLite
 * database, created when needed. Rejects with `configuration` if neither is possible.
 */
export async function configuredSecretKeys(config: Config): Promise<SecretKeys> {
  return new SecretKeys(await configuredKeyBytes(config));
}

/** At least one; the first seals. */
export async function configuredKeyBytes({ secrets, database }: Config): Promise<readonly Buffer[]> {
  return secrets.keys ?? [await keyBeside(database.url)];
}

async function keyBeside(databaseUrl: string): Promise<Buffer> {
  const database = sqliteFileFromUrl(databaseUrl);
  if (database === undefined) {
    const message = `MODELSTATS_SECRET_KEYS is not set, and all processes that use ${shownAddress(databaseUrl)} need the same keys; set it, for example to the output of "openssl rand -base64 ${SECRET_KEY_BYTES}"`;
    throw new AppError('configuration', message);
  }
  const path = `${resolve(database)}.key`;
  try {
    await make(path);
    const key = Buffer.from(await readFile(path, 'utf8'), 'base64');
    if (key.length === SECRET_KEY_BYTES) return key;
  } catch (cause) {
    throw new AppError('configuration', `${path} can't be read: ${messageFromError(cause)}`, { cause });
  }
  throw new AppError(
    'configuration',
    `${path} is damaged: it must be ${SECRET_KEY_BYTES} bytes in base64; restore it from a backup`,
  );
}

/** Atomic, also when several processes start together. */
async function make(path: string): Promise<void> {
  const temporary = `${path}.${randomUUID()}.tmp`;
  try {
    await readFile(path);
    return;
  } catch (error) {
    if (codeFromError(error) !== 'ENOENT') throw error;
  }
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  try {
    await writeFile(temporary, `${randomBytes(SECRET_KEY_BYTES).toString('base64')}\n`, { mode: 0o600, flush: true });
    await link(temporary, path);
  } catch (error) {
    if (codeFromError(error) !== 'EEXIST') throw error;
  } finally {
    await rm(temporary, { force: true });
  }
}
