import { dirname, resolve } from 'node:path';
import { type DatabaseLook, lookAtDatabase } from '../../../../api/database/look-at-database.ts';
import { sqliteFileFromUrl } from '../../../../api/database/open-database.ts';
import { AppError, messageFromError } from '../../../../runtime/errors.ts';
import { CATALOG_KEY } from '../../../../storage/keys.ts';
import type { ObjectStore } from '../../../../storage/object-store.ts';
import { folderFromUrl } from '../../../../storage/open-store.ts';
import type { Config } from '../../../config/config.ts';
import { openConfiguredStore } from '../../../config/configured-store.ts';
import { inTime } from './in-time.ts';
import { nearestFolder } from './nearest-folder.ts';

/**
 * What several checks stand on. Each is looked at once, whoever asks first. Where it is missing everybody is rejected with
 * {@link MissingGround}: the check of the same name tells why, the others are skipped.
 */
export interface Grounds {
  /** The store, from which something could be read, if only that it is empty. */
  readonly store: () => Promise<ObjectStore>;
  /** The control database as it is; undefined where it is not there yet. */
  readonly database: () => Promise<DatabaseLook | undefined>;
}
export type Ground = keyof Grounds;

/** Shorter than a check has, so that what hangs is told as the ground's by all who wait for it. */
const GROUND_TIMEOUT_MS = 12_000;

export class MissingGround extends Error {
  readonly ground: Ground;

  constructor(ground: Ground, cause: unknown) {
    super(`the ${ground} is missing`, { cause });
    this.ground = ground;
  }
}

export function groundsOf(config: Config): Grounds {
  return {
    store: once('store', () => readStore(config)),
    database: once('database', () => readDatabase(config)),
  };
}

async function readStore(config: Config): Promise<ObjectStore> {
  const folder = folderFromUrl(config.STORE);
  // A night would fail on a file in the way, which to a reader looks like an empty store.
  if (folder !== undefined)
    await nearestFolder(folder).catch((cause: unknown) => {
      const message = `the store ${config.STORE} can't be read: ${messageFromError(cause)}; check the path in MODELSTATS_STORE`;
      throw new AppError('configuration', message, { cause });
    });
  const store = await openConfiguredStore(config, 'read');
  await store.get(CATALOG_KEY); // Its body tells why it is refused; the answer to HEAD has none.
  return store;
}

async function readDatabase({ DATABASE, DATABASE_CONNECT_TIMEOUT_MS }: Config): Promise<DatabaseLook | undefined> {
  const look = await lookAtDatabase(DATABASE, { timeoutMs: DATABASE_CONNECT_TIMEOUT_MS });
  const file = sqliteFileFromUrl(DATABASE);
  // Its folder is made with it, unless something is in the way.
  if (look === undefined && file !== undefined)
    await nearestFolder(dirname(resolve(file))).catch((cause: unknown) => {
      const message = `the control database ${DATABASE} can't be made: ${messageFromError(cause)}; check the path in MODELSTATS_DATABASE`;
      throw new AppError('unavailable', message, { cause });
    });
  return look;
}

function once<T>(ground: Ground, look: () => Promise<T>): () => Promise<T> {
  let found: Promise<T> | undefined;
  return () => {
    found ??= inTime(GROUND_TIMEOUT_MS, look).catch((cause: unknown) => {
      throw new MissingGround(ground, cause);
    });
    return found;
  };
}
