import type { NightEnd, NightResponse } from '../../../pipeline/schedule/run-day.ts';
import type { Day } from '../../../runtime/day.ts';
import type { FakeTime } from './fake-time.ts';

/** Nights that end as they are told to, and remember of which day and when they were begun. */
export class FakeNights {
  /** As `2026-11-20 at 2026-11-20T00:05:00.000Z`. */
  readonly begun: string[] = [];
  readonly #time: FakeTime;
  readonly #ends: readonly (NightEnd | Error)[];
  readonly #durationMs: number;

  /** @param ends of the first, second … night; the last is that of all others */
  constructor(time: FakeTime, ends: readonly (NightEnd | Error)[], { durationMs = 0 } = {}) {
    this.#time = time;
    this.#ends = ends;
    this.#durationMs = durationMs;
  }

  readonly run = async (day: Day, abandon: AbortSignal): Promise<NightEnd> => {
    const end = this.#ends[Math.min(this.begun.length, this.#ends.length - 1)] ?? response('published');
    this.begun.push(`${day} at ${this.#time.clock().toISOString()}`);
    if (this.#durationMs > 0) await this.#time.sleep(this.#durationMs, abandon);
    if (abandon.aborted) return failed('abandoned');
    if (end instanceof Error) throw end;
    return end;
  };
}

export function response(status: NightResponse['status'], problems: readonly string[] = []): NightResponse {
  return {
    status,
    snapshot_id: null,
    events: null,
    first_seq: null,
    last_seq: null,
    quarantined: 0,
    suspects_pending: 0,
    problems: [...problems],
    next_command: status === 'held' ? 'modelstats nightly --source /raw --day 2026-06-02 --accept' : null,
    warnings: [],
    report: null,
  };
}

export function failed(problem: string): NightEnd {
  return { status: 'failed', problems: [problem] };
}
