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

export interface Finding {
  readonly result: 'ok' | 'warn' | 'fail' | 'skipped';
  readonly message: string;
  /** What to do; null: nothing. */
  readonly advice: string | null;
}

export type Setup = Pick<CommandContext, 'config' | 'env' | 'clock' | 'toolVersion'> & {
  readonly prerequisites: Prerequisites;
};

/**
 * Checks one thing; undefined if this machine doesn't use it. An error is a failure, or a skip for a missing
 * prerequisite that another check reports.
 */
export type Check = (setup: Setup) => Promise<Finding | undefined>;

export function ok(message: string): Finding {
  return { result: 'ok', message, advice: null };
}

/** It works, but might stop. */
export function warn(message: string, advice: string): Finding {
  return { result: 'warn', message, advice };
}

export function fail(message: string, advice: string): Finding {
  return { result: 'fail', message, advice };
}

/** It needs something that another check found missing. */
export function skipped(see: string): Finding {
  return { result: 'skipped', message: `not checked: see ${see}`, advice: null };
}

/** Whether one of these settings is set. Only what the machine is used for, by its settings and files, is checked. */
export function isSet({ env }: Pick<Setup, 'env'>, ...names: readonly SettingName[]): boolean {
  return names.some((name) => Boolean(env[`MODELSTATS_${name}`]));
}

export function publishesHere(setup: Setup): boolean {
  return isSet(setup, 'SOURCE', 'CRON', 'HEALTH_FILE');
}

export function servesHere(setup: Setup): boolean {
  return isSet(setup, 'VIEW', 'HOST', 'PORT', 'PUBLIC_URL') || existsSync(resolve(setup.config.view.folder));
}

/** Accounts are created when first needed. */
export function hasAccounts(setup: Setup): boolean {
  if (isSet(setup, 'DATABASE')) return true;
  const file = sqliteFileFromUrl(setup.config.database.url);
  return file !== undefined && existsSync(file);
}

/** An hour off gives a night the wrong day; a minute goes unnoticed. */
const OFF_MS_MAX = 5 * 60_000;
const OFF_MS_USUAL = 30_000;

/** Compares this clock with another, exact to a second. */
export function compareClocks(here: Date, there: Date, whose: string): Finding {
  const offMs = here.getTime() - there.getTime();
  const seconds = Math.round(Math.abs(offMs) / 1000);
  const message = `this clock is ${seconds} s ${offMs < 0 ? 'behind' : 'ahead of'} that of ${whose}`;
  const advice = 'keep the clock set by NTP: it determines the current day';
  if (Math.abs(offMs) > OFF_MS_MAX) return fail(message, advice);
  if (Math.abs(offMs) > OFF_MS_USUAL) return warn(message, advice);
  return ok(`this clock and that of ${whose} agree`);
}

/**
 * Shared by checks, and tested once. If missing, all callers reject with {@link MissingPrerequisite}: the check of that
 * name reports it, the others are skipped.
 */
interface Prerequisites {
  /** A readable store, possibly empty. */
  readonly store: () => Promise<ObjectStore>;
  /** Undefined if not created yet. */
  readonly database: () => Promise<DatabaseInspection | undefined>;
}
type Prerequisite = keyof Prerequisites;

/** Shorter than the limit of a check, so that a hang is reported as the prerequisite's. */
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
  // A night would fail on a file in the way, which looks like an empty store to readers.
  if (folder !== undefined)
    await nearestFolder(folder).catch((cause: unknown) => {
      const message = `the store ${config.places.store} can't be read: ${messageFromError(cause)}; check the path in MODELSTATS_STORE`;
      throw new AppError('configuration', message, { cause });
    });
  const store = await openConfiguredStore(config, 'read');
  await store.get(CATALOG_KEY); // GET, since the body of a refusal says why; HEAD has none.
  return store;
}

async function readDatabase({ database }: Config): Promise<DatabaseInspection | undefined> {
  const found = await inspectDatabase(database.url, { timeoutMs: database.connectTimeoutMs });
  const file = sqliteFileFromUrl(database.url);
  // Its folder is created with it, unless something is in the way.
  if (found === undefined && file !== undefined)
    await nearestFolder(dirname(resolve(file))).catch((cause: unknown) => {
      const message = `the control database ${database.url} can't be created: ${messageFromError(cause)}; check the path in MODELSTATS_DATABASE`;
      throw new AppError('unavailable', message, { cause });
    });
  return found;
}

function once<T>(prerequisite: Prerequisite, test: () => Promise<T>): () => Promise<T> {
  let found: Promise<T> | undefined;
  return () => {
    found ??= inTime(PREREQUISITE_TIMEOUT_MS, test).catch((cause: unknown) => {
      throw new MissingPrerequisite(prerequisite, cause);
    });
    return found;
  };
}

/** Rejects with `unavailable` if the work takes longer. The work continues unobserved. */
export async function inTime<T>(timeoutMs: number, work: () => Promise<T>): Promise<T> {
  const isOver = new AbortController();
  const tooLong = wait(timeoutMs, undefined, { signal: isOver.signal }).then(() => {
    throw new AppError('unavailable', `no response within ${timeoutMs / 1000} s`);
  });
  try {
    return await Promise.race([work(), tooLong]);
  } finally {
    isOver.abort();
    tooLong.catch(() => {}); // It may reject later.
  }
}

/** The folder, or its nearest existing ancestor; rejects if a file or broken link is in the way. */
export async function nearestFolder(folder: string): Promise<string> {
  try {
    if ((await stat(folder)).isDirectory()) return folder;
    throw new Error(`${folder} is a file`);
  } catch (error) {
    if (codeFromError(error) !== 'ENOENT') throw error;
    const target = await readlink(folder).catch(() => undefined); // The name doesn't exist.
    if (target !== undefined)
      throw new Error(`${folder} is a link to ${target}, which does not exist`, { cause: error });
    return nearestFolder(dirname(folder)); // The root always exists.
  }
}
