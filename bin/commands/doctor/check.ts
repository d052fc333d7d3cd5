import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { sqliteFileFromUrl } from '../../../api/database/open-database.ts';
import type { CommandContext } from '../../cli/command.ts';
import type { SettingName } from '../../config/config.ts';
import type { Prerequisites } from './prerequisites.ts';

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

/** What a machine is used for, told by what is set and what is there: nothing else is checked. */

/** Whether one of these settings was given. */
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
