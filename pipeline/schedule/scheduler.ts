/**
 * Begins each day's night, never two at once. Its only memory is the store, so it can be killed, restarted, or run
 * twice.
 *
 * - A due time begins the night of its UTC day.
 * - A missed one is caught up while retries are allowed; later the day is skipped, because data is captured on its day.
 * - A due time during another day's work waits.
 */

import type { BaseLogger } from 'pino';
import { type Day, dayFromDate } from '../../runtime/day.ts';
import type { Cron } from './cron.ts';
import {
  type DayDeps,
  type DayEvent,
  isPublished,
  type NightEnd,
  type NightResponse,
  retryDeadline,
  runDay,
} from './run-day.ts';
import type { StoreEvent } from './store-watch.ts';

export type ScheduleEvent =
  | DayEvent
  | { readonly type: 'scheduler_started'; readonly next: Date | undefined; readonly isRetried: boolean }
  | { readonly type: 'catch_up'; readonly day: Day }
  | { readonly type: 'due_while_busy'; readonly day: Day; readonly running: Day }
  | { readonly type: 'stop_requested'; readonly running: Day | undefined }
  | { readonly type: 'scheduler_stopped' }
  | StoreEvent;

export interface SchedulerDeps extends Omit<DayDeps, 'onEvent'> {
  readonly cron: Cron;
  /** For a running night, after a stop request. */
  readonly stopTimeoutMs: number;
  readonly onEvent: (event: ScheduleEvent) => void;
}

export class Scheduler {
  readonly #deps: SchedulerDeps;
  readonly #stop = new AbortController();
  readonly #abandon = new AbortController();
  #work: Promise<void> | undefined;
  #running: Day | undefined;
  /** Due while another day was running. */
  #waiting: Day | undefined;

  constructor(deps: SchedulerDeps) {
    this.#deps = deps;
  }

  /** Waits for due times, and catches up on today's missed one. */
  start(): void {
    this.#deps.cron.start({ onDue: (day) => this.#begin(day), onMissed: () => this.#catchUp() });
    this.#announce();
    this.#catchUp();
  }

  /** A running night gets time to finish, then is abandoned. */
  async stop(): Promise<void> {
    this.#deps.cron.stop();
    this.#stop.abort();
    this.#deps.onEvent({ type: 'stop_requested', running: this.#running });
    const ended = new AbortController();
    const limit = this.#deps.sleep(this.#deps.stopTimeoutMs, ended.signal).then(() => this.abandon());
    await this.#work;
    ended.abort();
    await limit;
    this.#deps.onEvent({ type: 'scheduler_stopped' });
  }

  /** Ends a running night at once; what it hasn't published is lost. */
  abandon(): void {
    this.#abandon.abort();
  }

  #announce(): void {
    const { cron, retry, onEvent } = this.#deps;
    const next = cron.nextRun();
    const isRetried = next !== undefined && next < retryDeadline(dayFromDate(next), retry);
    onEvent({ type: 'scheduler_started', next, isRetried });
  }

  #catchUp(): void {
    const day = findDayToCatchUp(this.#deps);
    if (day === undefined) return;
    this.#deps.onEvent({ type: 'catch_up', day });
    void this.#begin(day);
  }

  #begin(day: Day): Promise<void> {
    if (this.#stop.signal.aborted) return Promise.resolve();
    if (this.#work === undefined) this.#work = this.#runDays(day);
    else if (this.#running !== undefined && day !== this.#running) this.#wait(day, this.#running);
    return this.#work;
  }

  #wait(day: Day, running: Day): void {
    this.#waiting = day;
    this.#deps.onEvent({ type: 'due_while_busy', day, running });
  }

  async #runDays(first: Day): Promise<void> {
    const signals = { stop: this.#stop.signal, abandon: this.#abandon.signal };
    try {
      for (let day: Day | undefined = first; day !== undefined; day = this.#takeWaiting()) {
        this.#running = day;
        await runDay(day, this.#deps, signals);
      }
    } finally {
      this.#running = undefined;
      this.#work = undefined;
    }
  }

  #takeWaiting(): Day | undefined {
    const day = this.#waiting;
    this.#waiting = undefined;
    return day === dayFromDate(this.#deps.clock()) && !this.#stop.signal.aborted ? day : undefined;
  }
}

/** Today, if its night was due and may still begin. */
function findDayToCatchUp({ clock, cron, retry }: Pick<SchedulerDeps, 'clock' | 'cron' | 'retry'>): Day | undefined {
  const now = clock();
  const today = dayFromDate(now);
  const due = cron.firstRunOn(today);
  return due !== undefined && due <= now && now < retryDeadline(today, retry) ? today : undefined;
}

/** `error`: an operator must act; `warn`: resolves itself or can wait. */
type LogLine = readonly [level: 'info' | 'warn' | 'error', message: string];

/** Reasons or warnings per line; the run's report has the rest. */
const REASONS_MAX = 20;

export function logEvent(log: Pick<BaseLogger, LogLine[0]>, event: ScheduleEvent): void {
  const fields = event.type === 'night_ended' ? fieldsOfEnd(event) : withoutType(event);
  for (const [level, message] of linesFromEvent(event)) log[level](fields, message);
}

function linesFromEvent(event: ScheduleEvent): readonly LogLine[] {
  switch (event.type) {
    case 'scheduler_started':
      return [
        ['info', `the next night is due at ${event.next?.toISOString() ?? 'no time'}`],
        ...(event.isRetried ? [] : [['warn', 'nights due then are neither retried nor caught up'] as const]),
      ];
    case 'catch_up':
      return [['info', "today's night was due already: catching up"]];
    case 'due_while_busy':
      return [['warn', 'a night is due while another day is running: it waits']];
    case 'night_started':
      return [['info', 'night started']];
    case 'night_ended':
      return linesFromEnd(event.end, event.day);
    case 'retry_planned':
      return [['warn', `retrying at ${event.at.toISOString()}`]];
    case 'given_up':
      return [['error', `gave up ${event.day} until the next night is due: ${event.why}`]];
    case 'late':
      return [['error', `${event.day} is late: ${event.reason}`]];
    case 'release_seen':
      return [['info', `the newest snapshot is of ${event.day}`]];
    case 'stop_requested':
      return [['info', event.running === undefined ? 'stopping' : 'stopping; the running night may finish']];
    case 'scheduler_stopped':
      return [['info', 'the scheduler has stopped']];
  }
}

function linesFromEnd(end: NightEnd, day: Day): readonly LogLine[] {
  switch (end.status) {
    case 'published':
      return [['info', `published ${day}`]];
    case 'already_published':
      return [['info', `${day} is published already`]];
    case 'held': {
      const advice = `if the source is right, run: ${end.next_command}`;
      return [['error', `held ${day}: it needs an operator; ${advice}`]];
    }
    case 'rejected':
      return [['error', `the source of ${day} was rejected`]];
    case 'failed':
      return [['error', `the night of ${day} failed`]];
  }
}

function fieldsOfEnd({ day, attempt, end }: Extract<ScheduleEvent, { type: 'night_ended' }>): object {
  const problems = end.problems.slice(0, REASONS_MAX);
  if (end.status === 'failed') return { day, attempt, problems };
  if (!isPublished(end)) return { day, attempt, problems, report: end.report };
  return { day, attempt, ...countsOf(end), warnings: end.warnings.slice(0, REASONS_MAX) };
}

function countsOf({ snapshot_id, events, first_seq, last_seq, quarantined, suspects_pending }: NightResponse): object {
  return { snapshot_id, events, first_seq, last_seq, quarantined, suspects_pending };
}

function withoutType({ type: _, ...fields }: ScheduleEvent): object {
  return 'release' in fields ? { day: fields.day } : fields;
}
