import { constants } from 'node:os';
import { resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
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
  const { config, clock, print } = context;
  const source = options.source ?? config.SOURCE;
  if (source === undefined) throw new AppError('usage', 'name the source: --source DIR or MODELSTATS_SOURCE');
  // Reads nothing: a wrong address stops the start, while a store that is down now may be back by the night.
  await openConfiguredStore(config, 'read');
  const log = createLogger(config);
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
  const stopRequested = firstSignal({ onSecond: () => scheduler.abandon() });
  scheduler.start();
  log.info({ signal: await stopRequested }, 'stop requested');
  await scheduler.stop();
  clearInterval(heartbeat);
  return 0;
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
function firstSignal({ onSecond }: { readonly onSecond: () => void }): Promise<NodeJS.Signals> {
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
