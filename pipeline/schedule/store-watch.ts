import type { ReleaseFacts } from '../../http/release-metrics.ts';
import type { Day } from '../../schemas/day.ts';
import { messageFromError } from '../../schemas/errors.ts';
import { loadCatalog, loadRelease, newestEntry } from '../../storage/catalog.ts';
import { releaseId } from '../../storage/keys.ts';
import type { ObjectStore } from '../../storage/object-store.ts';
import { type Expectation, findExpectedDay } from './expected-day.ts';

/** What a look at the store tells, which no night of this scheduler does. */
export type StoreEvent =
  /** The newest snapshot is another one than at the last look, whoever published it. */
  | { readonly type: 'release_seen'; readonly day: Day; readonly release: ReleaseFacts }
  /** A day that was due is not published by the time at which it should be; told once. */
  | { readonly type: 'late'; readonly day: Day; readonly reason: string };

export interface StoreWatchDeps extends Expectation {
  readonly store: ObjectStore;
  readonly clock: () => Date;
  readonly onEvent: (event: StoreEvent) => void;
}

/** Smaller: needless requests to the store. Larger: a night that was published by hand is noticed later. */
const LOOK_MS = 5 * 60_000;

/** Looks at the store beside the nights: whether somebody else has published, and whether a day is late. */
export class StoreWatch {
  readonly #deps: StoreWatchDeps;
  #lookedAt: Date | undefined;
  #isLooking = false;
  #seen: string | undefined;
  /** The newest day for which it was found out whether it is late. */
  #judged: Day | undefined;
  /** The newest day whose night was begun here. */
  #begun: Day | undefined;

  constructor(deps: StoreWatchDeps) {
    this.#deps = deps;
  }

  /** A night has begun: its day is late where it is not published in time, even on a store that has no snapshot yet. */
  begin(day: Day): void {
    this.#begun = day;
  }

  /** The next look is due at once: a night has just published. */
  wake(): void {
    this.#lookedAt = undefined;
  }

  /** Looks where it is time to; called every minute. Never rejects. */
  async look(): Promise<void> {
    const now = this.#deps.clock();
    const expected = findExpectedDay(now, this.#deps);
    const toJudge = expected === this.#judged ? undefined : expected;
    const isDue = this.#lookedAt === undefined || now.getTime() - this.#lookedAt.getTime() >= LOOK_MS;
    if (this.#isLooking || (!isDue && toJudge === undefined)) return;
    this.#isLooking = true;
    this.#lookedAt = now;
    try {
      await this.#see(toJudge);
    } catch (error) {
      // The nights tell of a store that is down; here it matters only where nobody else would.
      const reason = `not known to be published by ${this.#deps.lateAfter} UTC: ${messageFromError(error)}`;
      if (toJudge !== undefined) this.#deps.onEvent({ type: 'late', day: toJudge, reason });
    } finally {
      this.#judged = expected;
      this.#isLooking = false;
    }
  }

  async #see(toJudge: Day | undefined): Promise<void> {
    const { store, lateAfter, onEvent } = this.#deps;
    const newest = newestEntry((await loadCatalog(store)).catalog);
    if (newest !== undefined && releaseId(newest) !== this.#seen) {
      const release = await loadRelease(store, newest);
      this.#seen = releaseId(newest);
      onEvent({ type: 'release_seen', day: newest.day, release });
    }
    if (toJudge === undefined || (newest !== undefined && newest.day >= toJudge)) return;
    // A store that is new has no night to miss before its first was begun.
    if (newest === undefined && (this.#begun === undefined || this.#begun < toJudge)) return;
    const reason = `not published by ${lateAfter} UTC; the newest snapshot is ${newest === undefined ? 'none' : `of ${newest.day}`}`;
    onEvent({ type: 'late', day: toJudge, reason });
  }
}
