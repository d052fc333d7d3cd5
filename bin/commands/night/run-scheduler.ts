import { resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { Metrics } from '../../../api/server/metrics.ts';
import { NoticeMetrics, ScheduleNotices } from '../../../pipeline/notices/schedule-notices.ts';
import { openCron } from '../../../pipeline/schedule/cron.ts';
import { HEARTBEAT_MS, type ScheduleProblem, scheduleProblemAfter } from '../../../pipeline/schedule/health.ts';
import { openHealthFile } from '../../../pipeline/schedule/health-file.ts';
import { NightMetrics } from '../../../pipeline/schedule/night-metrics.ts';
import { logEvent, type ScheduleEvent, Scheduler, type SchedulerDeps } from '../../../pipeline/schedule/scheduler.ts';
import { StoreWatch } from '../../../pipeline/schedule/store-watch.ts';
import { addDays, dayFromDate } from '../../../runtime/day.ts';
import { AppError } from '../../../runtime/errors.ts';
import type { HealthProblem } from '../../../runtime/health-problem.ts';
import { type ReleaseFacts, ReleaseMetrics } from '../../../storage/release-metrics.ts';
import type { CommandContext } from '../../cli/command.ts';
import { openLog } from '../../cli/logger.ts';
import { openMetricsPort } from '../../cli/ports.ts';
import { firstSignal } from '../../cli/process-events.ts';
import type { Config } from '../../config/config.ts';
import { lateAfter, openConfiguredNotices } from '../../config/configured-notices.ts';
import { openConfiguredStore } from '../../config/configured-store.ts';
import { readNewestByProcess, runNightProcess } from './tool-process.ts';

/** Runs a night every day at a cron time, with retries, until a signal. */
export async function runScheduler(
  context: CommandContext,
  options: Pick<StartOptions, 'source' | 'json'>,
): Promise<number> {
  const { config } = context;
  const { log, linesDropped } = openLog(config);
  // Checks only the address: an unreachable store may be back when the night begins.
  await openConfiguredStore(config, 'read');
  const metrics = new Metrics();
  metrics.registry.registerMetric(linesDropped);
  const ofRelease = new ReleaseMetrics(metrics.registry);
  let scheduler: RunningScheduler | undefined;
  const stopRequested = firstSignal({ onSecond: () => scheduler?.abandon() }); // Before a night starts, which a signal would end.
  const port = await openMetricsPort(config, metrics);
  if (port !== undefined) log.info({ url: port.url }, 'serving metrics');
  try {
    const onRelease = (release: ReleaseFacts) => ofRelease.onRelease(release);
    scheduler = startScheduler(context, { ...options, log, registry: metrics.registry, onRelease });
    log.info({ signal: await stopRequested }, 'stop requested');
    await scheduler.stop();
  } finally {
    port?.close();
  }
  return 0;
}

export interface RunningScheduler {
  /** Waits for the running night, at most `STOP_TIMEOUT_SECONDS`. */
  readonly stop: () => Promise<void>;
  readonly abandon: () => void;
  /** Why the newest due night is unpublished, for the public. */
  readonly problem: () => HealthProblem | undefined;
}

export interface StartOptions {
  readonly source: string | undefined;
  readonly json: boolean;
  readonly log: Logger;
  readonly registry: Registry;
  readonly onRelease?: (release: ReleaseFacts) => void;
}

/** Limit for pending notices at a stop; the rest are sent at the next start. */
const NOTICES_STOP_MS_MAX = 5_000;

/** Of a read of the store; less than until the next one. */
const READ_TIMEOUT_MS = 4 * 60_000;

/** Throws `usage` without a source, `configuration` if the health file can't be written. */
export function startScheduler(
  context: Pick<CommandContext, 'config' | 'clock' | 'print' | 'toolVersion'>,
  options: StartOptions,
): RunningScheduler {
  const { config, clock, print } = context;
  const { log, registry } = options;
  const source = options.source ?? config.places.source;
  if (source === undefined) throw new AppError('usage', 'set the source: --source DIR or MODELSTATS_SOURCE');
  const cron = openCron(config.schedule.cron, { log });
  const health = openHealthFile(config.process.healthFile, { clock, cron, log });
  const metrics = new NightMetrics(registry, { clock });
  const ofNotices = new NoticeMetrics(registry);
  const notices = openConfiguredNotices(context, { log, onSent: (kind, isTaken) => ofNotices.onSent(kind, isTaken) });
  const scheduleNotices = notices && new ScheduleNotices({ notices, clock, source: resolve(source) });
  let problem: ScheduleProblem | undefined;
  const onEvent = (event: ScheduleEvent) => {
    health.note(event); // First, so that the health file is never behind the log.
    logEvent(log, event);
    metrics.onEvent(event);
    scheduleNotices?.note(event);
    problem = scheduleProblemAfter(problem, event, clock());
    if (event.type === 'night_started') watch.begin(event.day);
    if (event.type === 'night_ended') watch.wake();
    if (event.type === 'release_seen') options.onRelease?.(event.release);
  };
  const reading = { command: thisTool(), timeoutMs: READ_TIMEOUT_MS };
  const readNewest = (signal: AbortSignal) => readNewestByProcess(signal, reading);
  const watch = new StoreWatch({ readNewest, clock, cron, lateAfter: lateAfter(config), onEvent });
  const scheduler = new Scheduler({
    cron,
    clock,
    random: Math.random,
    sleep,
    retry: config.retry,
    stopTimeoutMs: config.process.stopTimeoutMs,
    runNight: nightRunner(config, { source: resolve(source), onResponse: options.json ? print : () => {} }),
    onEvent,
  });
  const heartbeat = setInterval(() => {
    health.beat();
    void watch.poll();
  }, HEARTBEAT_MS);
  void notices?.resume(addDays(dayFromDate(clock()), -1));
  scheduler.start();
  void watch.poll();
  const stop = async () => {
    watch.stop();
    await scheduler.stop();
    clearInterval(heartbeat);
    const limit = new AbortController();
    await Promise.race([notices?.settled(), sleep(NOTICES_STOP_MS_MAX, limit.signal)]);
    limit.abort();
    notices?.abandon();
  };
  return { stop, abandon: () => scheduler.abandon(), problem: () => problem };
}

function thisTool(): readonly [string, ...string[]] {
  return [process.execPath, ...process.execArgv, process.argv[1] ?? ''];
}

function nightRunner(
  { process: { nightTimeoutMs } }: Config,
  night: { readonly source: string; readonly onResponse: (line: string) => void },
): SchedulerDeps['runNight'] {
  const command = thisTool();
  return (day, abandon) => runNightProcess(day, abandon, { ...night, command, timeoutMs: nightTimeoutMs });
}

async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  await wait(ms, undefined, { signal }).catch(() => undefined);
}
