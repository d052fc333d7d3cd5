import { Counter, type Registry } from 'prom-client';
import { type Day, dayFromDate } from '../../runtime/day.ts';
import { nightCommand } from '../night/night-result.ts';
import { isPublished, type NightEnd } from '../schedule/run-day.ts';
import type { ScheduleEvent } from '../schedule/scheduler.ts';
import { goneFrom, NOTICE_KINDS, type NoticeKind } from './notice.ts';
import type { Notices } from './notices.ts';

export interface ScheduleNoticesDeps {
  readonly notices: Pick<Notices, 'tell' | 'published'>;
  readonly clock: () => Date;
  /** The source as nights get it. */
  readonly source: string;
}

/** An attempt that published nothing. */
interface Attempt {
  readonly day: Day;
  readonly end: NightEnd;
}

/** Makes notices of what a scheduler goes through. A night is told when it is known whether and when it is tried again. */
export class ScheduleNotices {
  readonly #deps: ScheduleNoticesDeps;
  #untold: Attempt | undefined;
  #last: Attempt | undefined;
  /** When the day of the last attempt is tried again; undefined while it is, and where it is not. */
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
        this.#tell(event.at);
        break;
      case 'night_started':
        this.#nextAttemptAt = undefined;
        break;
      case 'given_up':
      case 'scheduler_stopped':
        this.#tell(undefined);
        break;
      case 'stop_requested':
        this.#isStopping = true;
        break;
      case 'release_seen':
        void this.#deps.notices.published(event.day);
        break;
      case 'late':
        this.#tellLate(event);
        break;
      case 'scheduler_started':
      case 'catch_up':
      case 'due_while_busy':
        break;
    }
  }

  #end({ day, end }: Attempt): void {
    this.#untold = undefined;
    if (isPublished(end)) {
      this.#last = undefined;
      void this.#deps.notices.published(day);
      return;
    }
    this.#last = { day, end };
    // A night that was ended by the operator's own stop is no news to anybody.
    if (end.status !== 'failed' || !this.#isStopping) this.#untold = this.#last;
  }

  #tell(nextAttemptAt: Date | undefined): void {
    const untold = this.#untold;
    this.#untold = undefined;
    if (untold === undefined) return;
    const { day, end } = untold;
    void this.#deps.notices.tell({ ...factsFromEnd(end, untold, this.#deps), day, nextAttemptAt });
  }

  #tellLate({ day, reason }: Extract<ScheduleEvent, { type: 'late' }>): void {
    const { notices, clock, source } = this.#deps;
    const at = clock();
    const last = this.#last?.day === day ? this.#last : undefined;
    const { reasons = [], ...facts }: Partial<EndFacts> =
      last === undefined ? {} : factsFromEnd(last.end, last, this.#deps);
    const command = facts.nextCommand ?? nightCommand({ day, source, accept: false, acceptSuspects: [] });
    // Once its day is over, the command would publish another day's state under it.
    const nextCommand = dayFromDate(at) > day ? null : command;
    const nextAttemptAt = last === undefined ? undefined : this.#nextAttemptAt;
    const told = [reason, ...reasons];
    void notices.tell({ ...facts, kind: 'late', day, at, reasons: told, nextCommand, nextAttemptAt });
  }
}

type EndFacts = Omit<Parameters<Notices['tell']>[0], 'day' | 'nextAttemptAt'>;

/** What the end of an attempt that published nothing tells. */
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

/** What is counted of notices (specification "Health and metrics"). */
export class NoticeMetrics {
  readonly #notices: Counter;

  constructor(registry: Registry) {
    this.#notices = new Counter({
      name: 'modelstats_notices_total',
      help: 'Notices of nights to single targets, by kind and by whether they were taken',
      labelNames: ['kind', 'result'],
      registers: [registry],
    });
    // There from the start, so that the first one that is not taken is an increase.
    for (const kind of NOTICE_KINDS) for (const result of ['taken', 'failed']) this.#notices.inc({ kind, result }, 0);
  }

  onSent(kind: NoticeKind, isTaken: boolean): void {
    this.#notices.inc({ kind, result: isTaken ? 'taken' : 'failed' });
  }
}
