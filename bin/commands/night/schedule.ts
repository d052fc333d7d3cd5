import { AppError } from '../../../runtime/errors.ts';
import { type CommandContext, defineCommand, flag, option } from '../../cli/command.ts';

export const schedule = defineCommand({
  name: 'schedule',
  description: 'Run a night every day at MODELSTATS_CRON (UTC), tried again until it is published',
  options: {
    source: option('<dir>', 'folder with the raw data (default: MODELSTATS_SOURCE)'),
    check: flag('only say whether the scheduler that writes MODELSTATS_HEALTH_FILE needs somebody'),
    alive: flag('with --check: only whether it is at work, for what restarts it where it is not'),
  },
  json: "each night's answer as one JSON object on stdout; with --check the scheduler's health",
  examples: ["MODELSTATS_CRON='5 0 * * *' modelstats schedule --source ./raw"],
  notes:
    'Stops on SIGTERM or SIGINT. Exit codes of --check: 0 all is well, 1 it is dead, a night is held or a day given up',
  stopsItself: true,
  async run(context, { check, alive = false, ...options }) {
    if (check) return checkHealth(context, { alive });
    if (alive) throw new AppError('usage', '--alive belongs to --check');
    return (await import('./run-scheduler.ts')).runScheduler(context, options);
  },
});

/**
 * Whether the scheduler needs somebody; exit code 1 where it is not at work, its night is held or a day was given up. With `alive` only
 * whether it is at work: what restarts it must not do so for a night that needs a person.
 */
async function checkHealth(
  { config, clock, answer: response, paint }: CommandContext,
  { alive }: { readonly alive: boolean },
): Promise<number> {
  const [{ findDeath, findHealthProblem }, { readHealth }] = await Promise.all([
    import('../../../pipeline/schedule/health.ts'),
    import('../../../pipeline/schedule/health-file.ts'),
  ]);
  if (config.process.healthFile === undefined)
    throw new AppError('usage', '--check reads MODELSTATS_HEALTH_FILE: set it');
  const health = readHealth(config.process.healthFile);
  const problem = alive ? findDeath(health, clock()) : findHealthProblem(health, clock());
  const { state, next_run_at, last } = health;
  const lastNight = last === null ? 'no night yet' : `last night ${last.day} ${last.status}`;
  response({ ok: problem === undefined, problem: problem ?? null, ...health }, () =>
    problem === undefined
      ? `${paint.green('healthy')}: ${state}, next run ${next_run_at ?? 'never'}, ${lastNight}`
      : `${paint.red('unhealthy')}: ${problem}`,
  );
  return problem === undefined ? 0 : 1;
}
