import { AppError } from '../../../runtime/errors.ts';
import { type CommandContext, defineCommand, flag, option } from '../../cli/command.ts';

export const schedule = defineCommand({
  name: 'schedule',
  description: 'Run a night every day at MODELSTATS_CRON (UTC), with retries until it is published',
  options: {
    source: option('<dir>', 'folder with the raw data (default: MODELSTATS_SOURCE)'),
    check: flag('only report whether the scheduler of MODELSTATS_HEALTH_FILE needs attention'),
    alive: flag('with --check: only report whether it is running, for restarts'),
  },
  json: "each night's result as one JSON object on stdout; with --check the scheduler's health",
  examples: ["MODELSTATS_CRON='5 0 * * *' modelstats schedule --source ./raw"],
  notes:
    'Stops on SIGTERM or SIGINT. Exit codes of --check: 0 healthy, 1 it is dead, a night is held or a day was given up',
  stopsItself: true,
  async run(context, { check, alive = false, ...options }) {
    if (check) return checkHealth(context, { alive });
    if (alive) throw new AppError('usage', '--alive needs --check');
    return (await import('./run-scheduler.ts')).runScheduler(context, options);
  },
});

/**
 * Exit code 1 if the scheduler is dead, its night is held, or a day was given up. With `alive` only if it is dead:
 * restarting it doesn't help a night that needs a person.
 */
async function checkHealth(
  { config, clock, printResult, paint }: CommandContext,
  { alive }: { readonly alive: boolean },
): Promise<number> {
  const [{ findDeath, findHealthProblem }, { readHealth }] = await Promise.all([
    import('../../../pipeline/schedule/health.ts'),
    import('../../../pipeline/schedule/health-file.ts'),
  ]);
  if (config.process.healthFile === undefined) throw new AppError('usage', '--check needs MODELSTATS_HEALTH_FILE');
  const health = readHealth(config.process.healthFile);
  const problem = alive ? findDeath(health, clock()) : findHealthProblem(health, clock());
  const { state, next_run_at, last } = health;
  const lastNight = last === null ? 'no night yet' : `last night ${last.day} ${last.status}`;
  printResult({ ok: problem === undefined, problem: problem ?? null, ...health }, () =>
    problem === undefined
      ? `${paint.green('healthy')}: ${state}, next run ${next_run_at ?? 'never'}, ${lastNight}`
      : `${paint.red('unhealthy')}: ${problem}`,
  );
  return problem === undefined ? 0 : 1;
}
