/**
 * The scheduler: decides when a night of which day is begun, and never begins two at once. It keeps nothing between runs:
 * what is published is in the store, so a scheduler can be killed and started again, or run twice, at any instant.
 *
 * - A due time begins the night of its UTC day.
 * - A due time that was slept through, or came before the scheduler was started, is caught up while retries are allowed;
 *   after that the day is left out, for a day's data is captured on the day.
 * - A due time that comes while another day is worked on waits for it.
 */
import { type Day, dayFromDate } from '../../runtime/day.ts';
import type { Cron } from './cron.ts';
import { type DayDeps, type DayEvent, retryDeadline, runDay } from './run-day.ts';
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
  /** How long a running night may go on after a stop was asked for, in milliseconds. */
  readonly stopTimeoutMs: number;
  readonly onEvent: (event: ScheduleEvent) => void;
}

export class Scheduler {
  readonly #deps: SchedulerDeps;
  readonly #stop = new AbortController();
  readonly #abandon = new AbortController();
  #work: Promise<void> | undefined;
  #running: Day | undefined;
  /** The day that came due while another was worked on. */
  #waiting: Day | undefined;

  constructor(deps: SchedulerDeps) {
    this.#deps = deps;
  }

  /** Begins to wait for due times, and catches up on the one of today that has gone by. */
  start(): void {
    this.#deps.cron.start({ onDue: (day) => this.#begin(day), onMissed: () => this.#catchUp() });
    this.#announce();
    this.#catchUp();
  }

  /** Starts no more nights, gives a running one its time to finish, then abandons it; resolves when all is quiet. */
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

  /** Ends a running night at once; what it had not published is not published. */
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

/** Today, where its night was due already and there is still time for it; whether it is published the night finds out. */
function findDayToCatchUp({ clock, cron, retry }: Pick<SchedulerDeps, 'clock' | 'cron' | 'retry'>): Day | undefined {
  const now = clock();
  const today = dayFromDate(now);
  const due = cron.firstRunOn(today);
  return due !== undefined && due <= now && now < retryDeadline(today, retry) ? today : undefined;
}
