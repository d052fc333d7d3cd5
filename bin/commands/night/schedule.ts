import { resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import pc from 'picocolors';
import type { Logger } from 'pino';
import { openCron } from '../../../pipeline/schedule/cron.ts';
import { findHealthProblem, HEARTBEAT_MS } from '../../../pipeline/schedule/health.ts';
import { openHealthFile, readHealth } from '../../../pipeline/schedule/health-file.ts';
import { logEvent } from '../../../pipeline/schedule/log-event.ts';
import { scheduleProblemAfter } from '../../../pipeline/schedule/schedule-problem.ts';
import { Scheduler, type SchedulerDeps } from '../../../pipeline/schedule/scheduler.ts';
import { AppError } from '../../../schemas/errors.ts';
import type { HealthProblem } from '../../../schemas/health-problem.ts';
import type { CommandContext } from '../../cli/command-context.ts';
import { createLogger } from '../../cli/logger.ts';
import { firstSignal } from '../../cli/process-events.ts';
import type { Config } from '../../config/config.ts';
import { openConfiguredStore } from '../../config/configured-store.ts';
import { runNightProcess } from './night-process.ts';

export interface ScheduleOptions {
  readonly source?: string;
  readonly check?: boolean;
  readonly json?: boolean;
}

/** `modelstats schedule`: runs a night every day at a cron time, tried again until it is published, until a signal. */
export async function schedule(context: CommandContext, options: ScheduleOptions): Promise<number> {
  if (options.check) return scheduleCheck(context, options);
  const log = createLogger(context.config);
  // Checks the address only: a store that can't be reached now may be there again when the night begins.
  await openConfiguredStore(context.config, 'read');
  let scheduler: RunningScheduler | undefined;
  const stopRequested = firstSignal({ onSecond: () => scheduler?.abandon() }); // Before a night starts, which a signal would end.
  scheduler = startScheduler(context, { ...options, log });
  log.info({ signal: await stopRequested }, 'stop requested');
  await scheduler.stop();
  return 0;
}

/** `modelstats schedule --check`: whether a scheduler is at work, for a container's health check; exit code 1 where none is. */
function scheduleCheck(
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

export interface RunningScheduler {
  /** Stops after the running night, or ends that after `STOP_TIMEOUT_SECONDS`. */
  readonly stop: () => Promise<void>;
  /** Ends a running night now. */
  readonly abandon: () => void;
  /** Why the newest night that came due is not published, for the public. */
  readonly problem: () => HealthProblem | undefined;
}

/** Starts the scheduler. Throws `usage` without a source, and `configuration` where the health file can't be written. */
export function startScheduler(
  { config, clock, print }: CommandContext,
  options: Pick<ScheduleOptions, 'source' | 'json'> & { readonly log: Logger },
): RunningScheduler {
  const { log } = options;
  const source = options.source ?? config.SOURCE;
  if (source === undefined) throw new AppError('usage', 'name the source: --source DIR or MODELSTATS_SOURCE');
  const cron = openCron(config.CRON, { log });
  const health = openHealthFile(config.HEALTH_FILE, { clock, cron, log });
  let problem: HealthProblem | undefined;
  const scheduler = new Scheduler({
    cron,
    clock,
    random: Math.random,
    sleep,
    ...settingsFrom(config),
    runNight: nightRunner(config, { source: resolve(source), onAnswer: options.json ? print : () => {} }),
    onEvent: (event) => {
      logEvent(log, event);
      health.note(event);
      problem = scheduleProblemAfter(problem, event, clock());
    },
  });
  const heartbeat = setInterval(health.beat, HEARTBEAT_MS);
  scheduler.start();
  const stop = async () => {
    await scheduler.stop();
    clearInterval(heartbeat);
  };
  return { stop, abandon: () => scheduler.abandon(), problem: () => problem };
}

function settingsFrom(config: Config): Pick<SchedulerDeps, 'retry' | 'stopTimeoutMs'> {
  return {
    retry: {
      firstDelayMs: config.RETRY_FIRST_SECONDS * 1000,
      maxDelayMs: config.RETRY_MAX_SECONDS * 1000,
      until: config.RETRY_UNTIL,
    },
    stopTimeoutMs: config.STOP_TIMEOUT_SECONDS * 1000,
  };
}

function nightRunner(
  { NIGHT_TIMEOUT_SECONDS }: Config,
  night: { readonly source: string; readonly onAnswer: (line: string) => void },
): SchedulerDeps['runNight'] {
  // This tool, started in the same way as this process.
  const command = [process.execPath, ...process.execArgv, process.argv[1] ?? ''] as const;
  return (day, abandon) =>
    runNightProcess(day, abandon, { ...night, command, timeoutMs: NIGHT_TIMEOUT_SECONDS * 1000 });
}

async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  await wait(ms, undefined, { signal }).catch(() => undefined);
}
