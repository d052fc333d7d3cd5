import { createTask, parse, type TaskContext, validateDetailed } from 'node-cron';
import type { BaseLogger } from 'pino';
import { type Day, dayFromDate } from '../../runtime/day.ts';

/** When nights are due, in UTC. */
export interface Cron {
  /** Begins to call; a call that is still pending is told of the next one all the same. */
  readonly start: (listener: CronListener) => void;
  readonly stop: () => void;
  /** Undefined when stopped. */
  readonly nextRun: () => Date | undefined;
  /** The first instant of a day on which a night is due, past or to come; undefined on days without one. */
  readonly firstRunOn: (day: Day) => Date | undefined;
}

export interface CronListener {
  /** A night of this day is due now. */
  readonly onDue: (day: Day) => Promise<void>;
  /** A night may have been due more than a minute ago, while the process or the machine slept, or by another clock. */
  readonly onMissed: () => void;
}

/** Smaller: a busy machine misses its night. Larger: a night begins at an hour nobody expects. */
const LATENESS_MS_MAX = 60_000;

/** How often it is checked whether the clock was set. Larger: a night begins later where it was. */
const CLOCK_CHECK_MS = 60_000;

/** What is wrong with a cron expression (five fields, or six with seconds); undefined where nothing is. */
export function findCronProblem(expression: string): string | undefined {
  const { valid, errors } = validateDetailed(expression);
  return valid
    ? undefined
    : `'${expression}' is no cron expression: ${errors.map(({ message }) => message).join(', ')}`;
}

/**
 * A cron expression on node-cron, which would wait for the time that it was to be next by a clock that was wrong: where the clock is set,
 * for one a minute or more apart, it waits anew. Calls for due times never overlap but in one case: a time that comes while a call is
 * pending is told at once, for the listener to decide.
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

/** Calls when the clock was set, or the machine slept: it went on by another time than has passed. */
function watchClock(onSet: () => void): NodeJS.Timeout {
  let before = { byClockMs: Date.now(), passedMs: performance.now() };
  return setInterval(() => {
    const now = { byClockMs: Date.now(), passedMs: performance.now() };
    const jumpMs = now.byClockMs - before.byClockMs - (now.passedMs - before.passedMs);
    before = now;
    if (Math.abs(jumpMs) >= LATENESS_MS_MAX) onSet();
  }, CLOCK_CHECK_MS);
}

/** What node-cron would print: of its own accord it only repeats what the events tell. */
function cronLogger(log: Pick<BaseLogger, 'error'>) {
  const quiet = () => {};
  const error = (thrown: string | Error) => log.error({ err: thrown }, 'the scheduler failed');
  return { info: quiet, warn: quiet, debug: quiet, error };
}

/** The fields of a time don't depend on the day, so the earliest of each make the earliest time of any day. */
function earliestTime(expression: string, day: Day): Date {
  const { hour, minute, second } = parse(expression);
  const [hours, minutes, seconds] = [Math.min(...hour), Math.min(...minute), Math.min(...second)];
  return new Date(Date.parse(`${day}T00:00:00Z`) + ((hours * 60 + minutes) * 60 + seconds) * 1000);
}
