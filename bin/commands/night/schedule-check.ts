import { findDeath, findHealthProblem } from '../../../pipeline/schedule/monitoring/health.ts';
import { readHealth } from '../../../pipeline/schedule/monitoring/health-file.ts';
import { AppError } from '../../../runtime/errors.ts';
import type { CommandContext } from '../../cli/command-context.ts';
import { paint } from '../../cli/paint.ts';

/**
 * `modelstats schedule --check`: whether the scheduler needs somebody; exit code 1 where it is not at work, its night is held or a day was
 * given up. With `--alive` only whether it is at work: what restarts it must not do so for a night that needs a person.
 */
export function scheduleCheck(
  { config, clock, print }: Pick<CommandContext, 'config' | 'clock' | 'print'>,
  { alive = false, json = false }: { readonly alive?: boolean; readonly json?: boolean },
): number {
  if (config.HEALTH_FILE === undefined) throw new AppError('usage', '--check reads MODELSTATS_HEALTH_FILE: set it');
  const health = readHealth(config.HEALTH_FILE);
  const problem = alive ? findDeath(health, clock()) : findHealthProblem(health, clock());
  const { state, next_run_at, last } = health;
  if (json) print(JSON.stringify({ ok: problem === undefined, problem: problem ?? null, ...health }));
  else if (problem !== undefined) print(`${paint.red('unhealthy')}: ${problem}`);
  else {
    const lastNight = last === null ? 'no night yet' : `last night ${last.day} ${last.status}`;
    print(`${paint.green('healthy')}: ${state}, next run ${next_run_at ?? 'never'}, ${lastNight}`);
  }
  return problem === undefined ? 0 : 1;
}
