import pc from 'picocolors';
import { findHealthProblem } from '../../pipeline/schedule/health.ts';
import { readHealth } from '../../pipeline/schedule/health-file.ts';
import { AppError } from '../../schemas/errors.ts';
import type { CommandContext } from './command-context.ts';

/** `modelstats schedule --check`: whether a scheduler is at work, for a container's health check; exit code 1 where not. */
export function scheduleCheck(
  { config, clock, print }: Pick<CommandContext, 'config' | 'clock' | 'print'>,
  { json = false }: { readonly json?: boolean },
): number {
  if (config.HEALTH_FILE === undefined) throw new AppError('usage', '--check reads MODELSTATS_HEALTH_FILE: set it');
  const health = readHealth(config.HEALTH_FILE);
  const problem = findHealthProblem(health, clock());
  const { state, next_run_at, last } = health;
  if (json) print(JSON.stringify({ ok: problem === undefined, problem: problem ?? null, ...health }));
  else if (problem !== undefined) print(`${pc.red('unhealthy')}: ${problem}`);
  else {
    const lastNight = last === null ? 'no night yet' : `last night ${last.day} ${last.status}`;
    print(`${pc.green('healthy')}: ${state}, next run ${next_run_at ?? 'never'}, ${lastNight}`);
  }
  return problem === undefined ? 0 : 1;
}
