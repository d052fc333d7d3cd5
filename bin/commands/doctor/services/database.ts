import { shownAddress } from '../../../../runtime/shown-address.ts';
import { type Finding, fail, ok, type Setup, warn } from '../finding.ts';
import { hasAccounts } from '../use.ts';
import { compareClocks } from './clock.ts';

/** Whether the control database can be read, is of this version, and agrees on the time. */
export async function checkDatabase(setup: Setup): Promise<Finding | undefined> {
  if (!hasAccounts(setup)) return undefined;
  const { config, clock, grounds } = setup;
  const shown = shownAddress(config.DATABASE);
  const look = await grounds.database();
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
