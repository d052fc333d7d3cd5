import { existsSync } from 'node:fs';
import { readlink, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type DatabaseInspection, inspectDatabase } from '../../../api/database/inspect-database.ts';
import { sqliteFileFromUrl } from '../../../api/database/open-database.ts';
import { AppError, codeFromError, messageFromError } from '../../../runtime/errors.ts';
import { CATALOG_KEY } from '../../../storage/keys.ts';
import type { ObjectStore } from '../../../storage/object-store.ts';
import { folderFromUrl } from '../../../storage/open-store.ts';
import type { CommandContext } from '../../cli/command.ts';
import type { Config, SettingName } from '../../config/config.ts';
import { openConfiguredStore } from '../../config/configured-store.ts';

/** What a check found out. */
export interface Finding {
  readonly result: 'ok' | 'warn' | 'fail' | 'skipped';
  /** What is so. */
  readonly message: string;
  /** What to do about it; null where nothing is to be done. */
  readonly advice: string | null;
}

/** What a check may look at. */
export type Setup = Pick<CommandContext, 'config' | 'env' | 'clock' | 'toolVersion'> & {
  readonly prerequisites: Prerequisites;
};

/**
 * Looks at one thing; undefined where this machine doesn't use it. What it throws is a failure, or, where it is a missing prerequisite that
 * another check tells of, the reason why it is skipped.
 */
export type Check = (setup: Setup) => Promise<Finding | undefined>;

export function ok(message: string): Finding {
  return { result: 'ok', message, advice: null };
}

/** It works, and may not go on to, or not as it should. */
export function warn(message: string, advice: string): Finding {
  return { result: 'warn', message, advice };
}

/** Something doesn't work. */
export function fail(message: string, advice: string): Finding {
  return { result: 'fail', message, advice };
}

/** It stands on what another check has found missing, and is not a cause of its own. */
export function skipped(see: string): Finding {
  return { result: 'skipped', message: `not looked at: see ${see}`, advice: null };
}

/**
 * Whether one of these settings was given.
 *
 * What a machine is used for, told by what is set and what is there: nothing else is checked.
 */
export function isSet({ env }: Pick<Setup, 'env'>, ...names: readonly SettingName[]): boolean {
  return names.some((name) => Boolean(env[`MODELSTATS_${name}`]));
}

/** Whether nights are run here. */
export function publishesHere(setup: Setup): boolean {
  return isSet(setup, 'SOURCE', 'CRON', 'HEALTH_FILE');
}

/** Whether the API is served here. */
export function servesHere(setup: Setup): boolean {
  return isSet(setup, 'VIEW', 'HOST', 'PORT', 'PUBLIC_URL') || existsSync(resolve(setup.config.view.folder));
}

/** Whether there are accounts: they are made when they are first needed. */
export function hasAccounts(setup: Setup): boolean {
  if (isSet(setup, 'DATABASE')) return true;
  const file = sqliteFileFromUrl(setup.config.database.url);
  return file !== undefined && existsSync(file);
}

/** An hour's error of ours is a night's wrong day; of a minute nobody notices. */
const OFF_MS_MAX = 5 * 60_000;
const OFF_MS_USUAL = 30_000;

/** How this machine's clock stands to another's, which is exact to a second. */
export function compareClocks(here: Date, there: Date, whose: string): Finding {
  const offMs = here.getTime() - there.getTime();
  const seconds = Math.round(Math.abs(offMs) / 1000);
  const told = `this clock is ${seconds} s ${offMs < 0 ? 'behind' : 'before'} that of ${whose}`;
  const advice = 'keep the clock set by NTP: it decides which day is today';
  if (Math.abs(offMs) > OFF_MS_MAX) return fail(told, advice);
  if (Math.abs(offMs) > OFF_MS_USUAL) return warn(told, advice);
  return ok(`this clock and that of ${whose} agree`);
}

/**
 * What several checks stand on. Each is looked at once, whoever asks first. Where it is missing everybody is rejected with
 * {@link MissingPrerequisite}: the check of the same name tells why, the others are skipped.
 */
interface Prerequisites {
  /** The store, from which something could be read, if only that it is empty. */
  readonly store: () => Promise<ObjectStore>;
  /** The control database as it is; undefined where it is not there yet. */
  readonly database: () => Promise<DatabaseInspection | undefined>;
}
type Prerequisite = keyof Prerequisites;

/** Shorter than a check has, so that what hangs is told as the prerequisite's by all who wait for it. */
const PREREQUISITE_TIMEOUT_MS = 12_000;

export class MissingPrerequisite extends Error {
  readonly prerequisite: Prerequisite;

  constructor(prerequisite: Prerequisite, cause: unknown) {
    super(`the ${prerequisite} is missing`, { cause });
    this.prerequisite = prerequisite;
  }
}

export function openPrerequisites(config: Config): Prerequisites {
  return {
    store: once('store', () => readStore(config)),
    database: once('database', () => readDatabase(config)),
  };
}

async function readStore(config: Config): Promise<ObjectStore> {
  const folder = folderFromUrl(config.places.store);
  // A night would fail on a file in the way, which to a reader looks like an empty store.
  if (folder !== undefined)
    await nearestFolder(folder).catch((cause: unknown) => {
      const message = `the store ${config.places.store} can't be read: ${messageFromError(cause)}; check the path in MODELSTATS_STORE`;
      throw new AppError('configuration', message, { cause });
    });
  const store = await openConfiguredStore(config, 'read');
  await store.get(CATALOG_KEY); // Its body tells why it is refused; the answer to HEAD has none.
  return store;
}

async function readDatabase({ database }: Config): Promise<DatabaseInspection | undefined> {
  const look = await inspectDatabase(database.url, { timeoutMs: database.connectTimeoutMs });
  const file = sqliteFileFromUrl(database.url);
  // Its folder is made with it, unless something is in the way.
  if (look === undefined && file !== undefined)
    await nearestFolder(dirname(resolve(file))).catch((cause: unknown) => {
      const message = `the control database ${database.url} can't be made: ${messageFromError(cause)}; check the path in MODELSTATS_DATABASE`;
      throw new AppError('unavailable', message, { cause });
    });
  return look;
}

function once<T>(prerequisite: Prerequisite, look: () => Promise<T>): () => Promise<T> {
  let found: Promise<T> | undefined;
  return () => {
    found ??= inTime(PREREQUISITE_TIMEOUT_MS, look).catch((cause: unknown) => {
      throw new MissingPrerequisite(prerequisite, cause);
    });
    return found;
  };
}

/** What work resolves to; rejects with `unavailable` where it takes longer. The work itself goes on, which nobody waits for. */
export async function inTime<T>(timeoutMs: number, work: () => Promise<T>): Promise<T> {
  const isOver = new AbortController();
  const tooLong = wait(timeoutMs, undefined, { signal: isOver.signal }).then(() => {
    throw new AppError('unavailable', `no answer within ${timeoutMs / 1000} s`);
  });
  try {
    return await Promise.race([work(), tooLong]);
  } finally {
    isOver.abort();
    tooLong.catch(() => {}); // Nobody waits for it any more.
  }
}

/** The folder, or the nearest one above it that is there; rejects where a file, or a link to nothing, is in the way. */
export async function nearestFolder(folder: string): Promise<string> {
  try {
    if ((await stat(folder)).isDirectory()) return folder;
    throw new Error(`${folder} is a file`);
  } catch (error) {
    if (codeFromError(error) !== 'ENOENT') throw error;
    const target = await readlink(folder).catch(() => undefined); // Nothing at all has that name.
    if (target !== undefined) throw new Error(`${folder} is a link to ${target}, which is not there`, { cause: error });
    return nearestFolder(dirname(folder)); // The root is always there.
  }
}
