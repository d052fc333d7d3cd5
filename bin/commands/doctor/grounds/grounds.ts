import { type DatabaseLook, lookAtDatabase } from '../../../../database/look-at-database.ts';
import { AppError, messageFromError } from '../../../../schemas/errors.ts';
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
    database: once('database', () =>
      lookAtDatabase(config.DATABASE, { timeoutMs: config.DATABASE_CONNECT_TIMEOUT_MS }),
    ),
  };
}

async function readStore(config: Config): Promise<ObjectStore> {
  const folder = folderFromUrl(config.STORE);
  // A night would fail on a file in the way, which to a reader looks like an empty store.
  if (folder !== undefined)
    await nearestFolder(folder).catch((cause: unknown) => {
      const message = `the store ${config.STORE} can't be read: ${messageFromError(cause)}`;
      throw new AppError('configuration', message, { cause });
    });
  const store = await openConfiguredStore(config, 'read');
  await store.get(CATALOG_KEY); // Its body tells why it is refused; the answer to HEAD has none.
  return store;
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
