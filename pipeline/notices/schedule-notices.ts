import { Counter, type Registry } from 'prom-client';
import { type Day, dayFromDate } from '../../runtime/day.ts';
import { nightCommand } from '../night/night-result.ts';
import { isPublished, type NightEnd } from '../schedule/run-day.ts';
import type { ScheduleEvent } from '../schedule/scheduler.ts';
import { goneFrom, NOTICE_KINDS, type NoticeKind } from './notice.ts';
import type { Notices } from './notices.ts';

export interface ScheduleNoticesDeps {
  readonly notices: Pick<Notices, 'send' | 'published'>;
  readonly clock: () => Date;
  /** As nights get it. */
  readonly source: string;
}

/** An attempt that published nothing. */
interface Attempt {
  readonly day: Day;
  readonly end: NightEnd;
}

/** A night is reported once its retry is planned or given up. */
export class ScheduleNotices {
  readonly #deps: ScheduleNoticesDeps;
  #pending: Attempt | undefined;
  #last: Attempt | undefined;
  /** Undefined during a retry, or without one. */
  #nextAttemptAt: Date | undefined;
  #isStopping = false;

  constructor(deps: ScheduleNoticesDeps) {
    this.#deps = deps;
  }

  note(event: ScheduleEvent): void {
    switch (event.type) {
      case 'night_ended':
        this.#end(event);
        break;
      case 'retry_planned':
        this.#nextAttemptAt = event.at;
        this.#notify(event.at);
        break;
      case 'night_started':
        this.#nextAttemptAt = undefined;
        break;
      case 'given_up':
      case 'scheduler_stopped':
        this.#notify(undefined);
        break;
      case 'stop_requested':
        this.#isStopping = true;
        break;
      case 'release_seen':
        void this.#deps.notices.published(event.day);
        break;
      case 'late':
        this.#notifyLate(event);
        break;
      case 'scheduler_started':
      case 'catch_up':
      case 'due_while_busy':
        break;
    }
  }

  #end({ day, end }: Attempt): void {
    this.#pending = undefined;
    if (isPublished(end)) {
      this.#last = undefined;
      void this.#deps.notices.published(day);
      return;
    }
    this.#last = { day, end };
    // A night ended by the operator's own stop is no news.
    if (end.status !== 'failed' || !this.#isStopping) this.#pending = this.#last;
  }

  #notify(nextAttemptAt: Date | undefined): void {
    const pending = this.#pending;
    this.#pending = undefined;
    if (pending === undefined) return;
    const { day, end } = pending;
    void this.#deps.notices.send({ ...factsFromEnd(end, pending, this.#deps), day, nextAttemptAt });
  }

  #notifyLate({ day, reason }: Extract<ScheduleEvent, { type: 'late' }>): void {
    const { notices, clock, source } = this.#deps;
    const at = clock();
    const last = this.#last?.day === day ? this.#last : undefined;
    const { reasons = [], ...facts }: Partial<EndFacts> =
      last === undefined ? {} : factsFromEnd(last.end, last, this.#deps);
    const command = facts.nextCommand ?? nightCommand({ day, source, accept: false, acceptSuspects: [] });
    // After its day, the command would publish another day's data under it.
    const nextCommand = dayFromDate(at) > day ? null : command;
    const nextAttemptAt = last === undefined ? undefined : this.#nextAttemptAt;
    const allReasons = [reason, ...reasons];
    void notices.send({ ...facts, kind: 'late', day, at, reasons: allReasons, nextCommand, nextAttemptAt });
  }
}

type EndFacts = Omit<Parameters<Notices['send']>[0], 'day' | 'nextAttemptAt'>;

function factsFromEnd(
  end: NightEnd,
  { day }: Pick<Attempt, 'day'>,
  { clock, source }: Pick<ScheduleNoticesDeps, 'clock' | 'source'>,
): EndFacts {
  const [at, reasons] = [clock(), end.problems];
  const again = () => nightCommand({ day, source, accept: false, acceptSuspects: [] });
  if (end.status === 'failed') return { kind: 'failed', at, reasons, nextCommand: again() };
  const kind = end.status === 'held' ? 'held' : 'rejected';
  const { next_command: nextCommand, report } = end;
  return { kind, at, reasons, gone: goneFrom(end.preview), nextCommand, report };
}

/** Counts notices (specification "Health and metrics"). */
export class NoticeMetrics {
  readonly #notices: Counter;

  constructor(registry: Registry) {
    this.#notices = new Counter({
      name: 'modelstats_notices_total',
      help: 'Notices of nights to single targets, by kind and by whether the target accepted them',
      labelNames: ['kind', 'result'],
      registers: [registry],
    });
    // Present from the start, so that the first failure is an increase.
    for (const kind of NOTICE_KINDS) for (const result of ['taken', 'failed']) this.#notices.inc({ kind, result }, 0);
  }

  onSent(kind: NoticeKind, isTaken: boolean): void {
    this.#notices.inc({ kind, result: isTaken ? 'taken' : 'failed' });
  }
}
