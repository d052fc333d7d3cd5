import { createTask, parse, type TaskContext, validateDetailed } from 'node-cron';
import type { BaseLogger } from 'pino';
import { type Day, dayFromDate } from '../../runtime/day.ts';

/** UTC. */
export interface Cron {
  /** Calls also while an earlier call is pending. */
  readonly start: (listener: CronListener) => void;
  readonly stop: () => void;
  /** Undefined when stopped. */
  readonly nextRun: () => Date | undefined;
  /** Past or future; undefined for days without one. */
  readonly firstRunOn: (day: Day) => Date | undefined;
}

export interface CronListener {
  /** A night of this day is due now. */
  readonly onDue: (day: Day) => Promise<void>;
  /** The process or machine slept through a due time, or the clock was wrong. */
  readonly onMissed: () => void;
}

/** Smaller: a busy machine misses its night. Larger: a night begins at an unexpected hour. */
const LATENESS_MS_MAX = 60_000;

/** Between checks for a changed clock. Larger: after one, nights begin later. */
const CLOCK_CHECK_MS = 60_000;

/** Undefined for a valid expression (five fields, or six with seconds). */
export function findCronProblem(expression: string): string | undefined {
  const { valid, errors } = validateDetailed(expression);
  return valid
    ? undefined
    : `'${expression}' is not a cron expression: ${errors.map(({ message }) => message).join(', ')}`;
}

/**
 * node-cron would keep waiting by a wrong clock: after a jump of a minute or more, the wait starts again. Calls overlap
 * only for a due time during a pending call, which is reported at once.
 */
export function openCron(expression: string, { log }: { readonly log: Pick<BaseLogger, 'error'> }): Cron {
  let listener: CronListener | undefined;
  const onDue = ({ date }: TaskContext) => listener?.onDue(dayFromDate(date));
  const task = createTask(expression, onDue, {
    timezone: 'UTC',
    noOverlap: true,
    logger: cronLogger(log),
    missedExecutionTolerance: LATENESS_MS_MAX,
  });
  task.on('execution:overlap', onDue);
  task.on('execution:missed', () => listener?.onMissed());
  let clockCheck: NodeJS.Timeout | undefined;
  const waitAnew = () => {
    void task.stop();
    void task.start();
    listener?.onMissed();
  };
  return {
    start: (given) => {
      listener = given;
      void task.start();
      clearInterval(clockCheck);
      clockCheck = watchClock(waitAnew);
    },
    stop: () => {
      clearInterval(clockCheck);
      void task.destroy();
    },
    nextRun: () => (task.getStatus() === 'destroyed' ? undefined : (task.getNextRun() ?? undefined)),
    firstRunOn: (day) => {
      const first = earliestTime(expression, day);
      return task.match(first) ? first : undefined;
    },
  };
}

/** After a changed clock or sleep, clock time and elapsed time differ. */
function watchClock(onSet: () => void): NodeJS.Timeout {
  let before = { byClockMs: Date.now(), passedMs: performance.now() };
  return setInterval(() => {
    const now = { byClockMs: Date.now(), passedMs: performance.now() };
    const jumpMs = now.byClockMs - before.byClockMs - (now.passedMs - before.passedMs);
    before = now;
    if (Math.abs(jumpMs) >= LATENESS_MS_MAX) onSet();
  }, CLOCK_CHECK_MS);
}

/** node-cron's own output only repeats its events. */
function cronLogger(log: Pick<BaseLogger, 'error'>) {
  const quiet = () => {};
  const error = (thrown: string | Error) => log.error({ err: thrown }, 'the scheduler failed');
  return { info: quiet, warn: quiet, debug: quiet, error };
}

/** The smallest of each field give any day's earliest time. */
function earliestTime(expression: string, day: Day): Date {
  const { hour, minute, second } = parse(expression);
  const [hours, minutes, seconds] = [Math.min(...hour), Math.min(...minute), Math.min(...second)];
  return new Date(Date.parse(`${day}T00:00:00Z`) + ((hours * 60 + minutes) * 60 + seconds) * 1000);
}
