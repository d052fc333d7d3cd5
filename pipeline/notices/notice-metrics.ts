import { Counter, type Registry } from 'prom-client';
import { NOTICE_KINDS, type NoticeKind } from './notice.ts';

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
