import { openCron } from '../../../../pipeline/schedule/cron.ts';
import { findDeath, findNightProblem } from '../../../../pipeline/schedule/monitoring/health.ts';
import { readHealth } from '../../../../pipeline/schedule/monitoring/health-file.ts';
import { addDays, dayFromDate } from '../../../../runtime/day.ts';
import { isAppError } from '../../../../runtime/errors.ts';
import { type Finding, fail, ok, type Setup, warn } from '../finding.ts';
import { isSet } from '../use.ts';

/** For a day that was given up with nothing to run: once it is over nobody can publish it. */
const MISSED = 'the log of the scheduler says why; the day can be published by hand until it is over';

/** When the next night is due, whether the scheduler is at work whose health is kept in a file, and whether its night needs a person. */
export async function checkSchedule(setup: Setup): Promise<Finding | undefined> {
  const { config, clock } = setup;
  if (!isSet(setup, 'CRON', 'HEALTH_FILE')) return undefined;
  const cron = openCron(config.CRON, { log: { error: () => {} } });
  const today = dayFromDate(clock());
  const due = [today, addDays(today, 1)]
    .map((day) => cron.firstRunOn(day))
    .find((at) => at !== undefined && at > clock());
  cron.stop();
  const told = due === undefined ? `'${config.CRON}' (UTC)` : `the next night is due ${due.toISOString()}`;
  if (config.HEALTH_FILE === undefined) return ok(told);
  try {
    const health = readHealth(config.HEALTH_FILE);
    const death = findDeath(health, clock());
    if (death !== undefined) return fail(`the scheduler is not at work: ${death}`, 'start it, and look at its log');
    const night = findNightProblem(health);
    if (night !== undefined) return fail(`${night.told}; the scheduler is at work`, night.advice ?? MISSED);
    const last =
      health.last === null ? 'no night yet' : `the last one of ${health.last.day} ended ${health.last.status}`;
    return ok(`the scheduler is ${health.state}, ${last}; ${told}`);
  } catch (error) {
    if (!isAppError(error, 'not_found')) throw error;
    return warn(error.message, 'start modelstats schedule');
  }
}
