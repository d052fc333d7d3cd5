import { constants } from 'node:os';
import { resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from 'pino';
import { openCron } from '../../pipeline/schedule/cron.ts';
import { HEARTBEAT_MS } from '../../pipeline/schedule/health.ts';
import { openHealthFile } from '../../pipeline/schedule/health-file.ts';
import { logEvent } from '../../pipeline/schedule/log-event.ts';
import { Scheduler, type SchedulerDeps } from '../../pipeline/schedule/scheduler.ts';
import { AppError } from '../../schemas/errors.ts';
import type { Config } from '../config.ts';
import { openConfiguredStore } from '../configured-store.ts';
import { createLogger } from '../logger.ts';
import { runNightProcess } from '../night-process.ts';
import type { CommandContext } from './command-context.ts';
import { scheduleCheck } from './schedule-check.ts';

export interface ScheduleOptions {
  readonly source?: string;
  readonly check?: boolean;
  readonly json?: boolean;
}

/** `modelstats schedule`: a night a day at a cron time, tried again until it is published, until a signal (DESIGN §10). */
export async function schedule(context: CommandContext, options: ScheduleOptions): Promise<number> {
  if (options.check) return scheduleCheck(context, options);
  const log = createLogger(context.config);
  // Reads nothing: a wrong address stops the start, while a store that is down now may be back by the night.
  await openConfiguredStore(context.config, 'read');
  let scheduler: RunningScheduler | undefined;
  const stopRequested = firstSignal({ onSecond: () => scheduler?.abandon() }); // Before a night could be hit by one.
  scheduler = startScheduler(context, { ...options, log });
  log.info({ signal: await stopRequested }, 'stop requested');
  await scheduler.stop();
  return 0;
}

export interface RunningScheduler {
  /** Lets a running night end, within limits. */
  readonly stop: () => Promise<void>;
  /** Ends it now. */
  readonly abandon: () => void;
}

/** Starts the nights; throws `usage` or `configuration` where that makes no sense. */
export function startScheduler(
  { config, clock, print }: CommandContext,
  options: Pick<ScheduleOptions, 'source' | 'json'> & { readonly log: Logger },
): RunningScheduler {
  const { log } = options;
  const source = options.source ?? config.SOURCE;
  if (source === undefined) throw new AppError('usage', 'name the source: --source DIR or MODELSTATS_SOURCE');
  const cron = openCron(config.CRON, { log });
  const health = openHealthFile(config.HEALTH_FILE, { clock, cron, log });
  const scheduler = new Scheduler({
    ...{ cron, clock, random: Math.random, sleep },
    ...settingsFrom(config),
    runNight: nightRunner(config, { source: resolve(source), onAnswer: options.json ? print : () => {} }),
    onEvent: (event) => {
      logEvent(log, event);
      health.note(event);
    },
  });
  const heartbeat = setInterval(health.beat, HEARTBEAT_MS);
  scheduler.start();
  const stop = async () => {
    await scheduler.stop();
    clearInterval(heartbeat);
  };
  return { stop, abandon: () => scheduler.abandon() };
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
  // This tool, started the way it was started.
  const command = [process.execPath, ...process.execArgv, process.argv[1] ?? ''] as const;
  return (day, abandon) =>
    runNightProcess(day, abandon, { ...night, command, timeoutMs: NIGHT_TIMEOUT_SECONDS * 1000 });
}

/** Resolves at the first SIGTERM or SIGINT; at the second the process ends at once, with the exit code shells give it. */
export function firstSignal({ onSecond }: { readonly onSecond: () => void }): Promise<NodeJS.Signals> {
  return new Promise((resolveFirst) => {
    let isStopping = false;
    const onSignal = (signal: NodeJS.Signals) => {
      if (isStopping) {
        onSecond();
        process.exit(128 + (constants.signals[signal] ?? 0));
      }
      isStopping = true;
      resolveFirst(signal);
    };
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, onSignal);
  });
}

async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  await wait(ms, undefined, { signal }).catch(() => undefined);
}
