import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { sqliteFileFromUrl } from '../../../api/database/open-database.ts';
import type { SettingName } from '../../config/config.ts';
import type { Setup } from './finding.ts';

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
  return isSet(setup, 'VIEW', 'HOST', 'PORT', 'PUBLIC_URL') || existsSync(resolve(setup.config.VIEW));
}

/** Whether there are accounts: they are made when they are first needed. */
export function hasAccounts(setup: Setup): boolean {
  if (isSet(setup, 'DATABASE')) return true;
  const file = sqliteFileFromUrl(setup.config.DATABASE);
  return file !== undefined && existsSync(file);
}
