import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { BaseLogger } from 'pino';
import { AppError, messageFromError } from '../../runtime/errors.ts';
import type { Cron } from './cron.ts';
import {
  type Health,
  HealthSchema,
  type HealthState,
  healthAfter,
  healthAfterRestart,
  INITIAL_HEALTH,
} from './health.ts';
import type { ScheduleEvent } from './scheduler.ts';

export interface HealthFileDeps {
  readonly clock: () => Date;
  readonly cron: Pick<Cron, 'nextRun'>;
  readonly log: Pick<BaseLogger, 'warn'>;
}

export interface HealthFile {
  /** Applies an event and writes. */
  readonly note: (event: ScheduleEvent) => void;
  /** The heartbeat. */
  readonly beat: () => void;
}

/**
 * Does nothing without a path. Throws `configuration` where the file can't be written at the start; later failures are
 * only logged.
 */
export function openHealthFile(path: string | undefined, deps: HealthFileDeps): HealthFile {
  if (path === undefined) return { note: () => {}, beat: () => {} };
  let state = stateBefore(path);
  const write = () => writeHealth(path, healthNow());
  const healthNow = (): Health => {
    const { retryAt, ...rest } = state;
    const nextRun = rest.state === 'stopped' ? undefined : (retryAt ?? deps.cron.nextRun());
    return { ...rest, next_run_at: nextRun?.toISOString() ?? null, updated_at: deps.clock().toISOString() };
  };
  const beat = () => {
    try {
      write();
    } catch (error) {
      deps.log.warn({ err: error }, `the health file ${path} can't be written: ${messageFromError(error)}`);
    }
  };
  try {
    write();
  } catch (cause) {
    const why = messageFromError(cause);
    throw new AppError('configuration', `MODELSTATS_HEALTH_FILE ${path} can't be written: ${why}`, { cause });
  }
  return {
    note: (event) => {
      state = healthAfter(state, event, deps.clock());
      beat();
    },
    beat,
  };
}

/** Unreadable files count as none. */
function stateBefore(path: string): HealthState {
  try {
    return healthAfterRestart(readHealth(path));
  } catch {
    return INITIAL_HEALTH;
  }
}

/** Atomic; throws what the file system throws. */
function writeHealth(path: string, health: Health): void {
  mkdirSync(dirname(path), { recursive: true });
  const temporary = `${path}.${process.pid}.tmp`;
  writeFileSync(temporary, `${JSON.stringify(health)}\n`);
  renameSync(temporary, path);
}

/** Throws `not_found` or `corrupt`. */
export function readHealth(path: string): Health {
  try {
    return HealthSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch (cause) {
    const isAbsent = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT';
    if (isAbsent) throw new AppError('not_found', `${path} does not exist: no scheduler has written it`, { cause });
    throw new AppError('corrupt', `${path} can't be read as a scheduler's health: ${messageFromError(cause)}`, {
      cause,
    });
  }
}
