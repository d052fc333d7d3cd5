import { Counter, Gauge, type Registry } from 'prom-client';
import type { Day } from '../../runtime/day.ts';
import { isPublished, type NightEnd } from './run-day.ts';
import type { ScheduleEvent } from './scheduler.ts';

/** For `modelstats_night_status`. */
const STATUSES = ['published', 'held', 'rejected', 'failed'] as const;
type Status = (typeof STATUSES)[number];

/** A scheduler's metrics (specification "Health and metrics"). */
export class NightMetrics {
  readonly #clock: () => Date;
  readonly #status: Gauge;
  readonly #problemSince: Gauge;
  readonly #day: Gauge;
  readonly #endedAt: Gauge;
  readonly #seconds: Gauge;
  readonly #attempts: Gauge;
  readonly #attemptsTotal: Counter;
  readonly #quarantined: Gauge;
  readonly #suspects: Gauge;
  readonly #late: Gauge;
  #startedAt: Date | undefined;
  #problem: { readonly status: Status; readonly day: Day } | undefined;
  #lateDay: Day | undefined;

  constructor(registry: Registry, { clock }: { readonly clock: () => Date }) {
    this.#clock = clock;
    const registers = [registry];
    const gauge = (name: string, help: string) => new Gauge({ name, help, registers });
    this.#status = new Gauge({
      name: 'modelstats_night_status',
      help: 'Status of the last night: 1 for its status, 0 for the others; all 0 before the first',
      labelNames: ['status'],
      registers,
    });
    this.#problemSince = new Gauge({
      name: 'modelstats_night_problem_since_timestamp_seconds',
      help: 'When the last night became held, rejected or failed; absent where it is published',
      labelNames: ['status'],
      registers,
    });
    this.#day = gauge('modelstats_night_day_timestamp_seconds', 'Midnight UTC of the day of the last attempt');
    this.#endedAt = gauge('modelstats_night_ended_timestamp_seconds', 'When the last attempt ended');
    this.#seconds = gauge('modelstats_night_seconds', 'How long the last attempt took');
    this.#attempts = gauge('modelstats_night_attempts', 'How many attempts the day of the last attempt has had');
    this.#attemptsTotal = new Counter({
      name: 'modelstats_night_attempts_total',
      help: 'Attempts that have ended, by their status',
      labelNames: ['status'],
      registers,
    });
    this.#quarantined = gauge('modelstats_night_quarantined', 'Rows that the last attempt set aside as bad');
    this.#suspects = gauge('modelstats_night_suspects_pending', 'Suspect prices that the last attempt held back');
    this.#late = gauge('modelstats_night_late', '1 while a day is not published by the time at which it should be');
    for (const status of STATUSES) {
      this.#status.set({ status }, 0);
      this.#attemptsTotal.inc({ status }, 0);
    }
  }

  onEvent(event: ScheduleEvent): void {
    switch (event.type) {
      case 'night_started':
        this.#startedAt = this.#clock();
        this.#attempts.set(event.attempt);
        this.#day.set(midnightOf(event.day));
        break;
      case 'night_ended':
        this.#onEnd(event.day, event.end);
        break;
      case 'late':
        this.#lateDay = event.day;
        this.#late.set(1);
        break;
      case 'release_seen':
        if (this.#problem !== undefined && event.day >= this.#problem.day) this.#setStatus('published', event.day);
        this.#publish(event.day);
        break;
      case 'scheduler_started':
      case 'catch_up':
      case 'due_while_busy':
      case 'retry_planned':
      case 'given_up':
      case 'stop_requested':
      case 'scheduler_stopped':
        break;
    }
  }

  #onEnd(day: Day, end: NightEnd): void {
    const now = this.#clock();
    const status = statusOf(end);
    this.#attemptsTotal.inc({ status });
    this.#endedAt.set(now.getTime() / 1000);
    this.#seconds.set((now.getTime() - (this.#startedAt ?? now).getTime()) / 1000);
    if (end.status !== 'failed') {
      this.#quarantined.set(end.quarantined);
      this.#suspects.set(end.suspects_pending);
    }
    this.#setStatus(status, day);
    if (status === 'published') this.#publish(day);
  }

  #setStatus(status: Status, day: Day): void {
    for (const other of STATUSES) this.#status.set({ status: other }, other === status ? 1 : 0);
    const isSame = this.#problem?.status === status && this.#problem.day === day;
    this.#problem = status === 'published' ? undefined : { status, day };
    if (isSame) return;
    this.#problemSince.reset();
    if (status !== 'published') this.#problemSince.set({ status }, this.#clock().getTime() / 1000);
  }

  #publish(day: Day): void {
    if (this.#lateDay === undefined || day < this.#lateDay) return;
    this.#lateDay = undefined;
    this.#late.set(0);
  }
}

function statusOf(end: NightEnd): Status {
  if (isPublished(end)) return 'published';
  return end.status === 'held' || end.status === 'rejected' ? end.status : 'failed';
}

function midnightOf(day: Day): number {
  return Date.parse(`${day}T00:00:00Z`) / 1000;
}
