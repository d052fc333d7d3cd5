import { setImmediate as nextTick } from 'node:timers/promises';
import type { Day } from '../../../runtime/day.ts';
import { withTemporaryFolder } from '../../../runtime/temporary-folder.ts';
import { type Catalog, type CatalogEntry, identityFromCatalog } from '../../../schemas/catalog.ts';
import { loadCatalog } from '../../../storage/catalog.ts';
import { Overtaken } from './event-writer.ts';
import {
  advance,
  assertContinues,
  beginProgress,
  type Claim,
  firstPlace,
  type Progress,
  pendingReleases,
  placeOf,
  readProgress,
  releaseClaim,
  takeClaim,
} from './progress.ts';
import { type PublishReleaseDeps, publishRelease, type Written } from './publish-release.ts';
import { readFirstActive } from './subscriptions.ts';

/**
 * Of a claim without renewal. Longer: others wait longer after a crash. Shorter: another dispatcher may compare a large
 * night in vain.
 */
const CLAIM_MS = 60_000;

export interface EventPublisherDeps extends Omit<PublishReleaseDeps, 'claim' | 'signal'> {
  /** Unique among dispatchers. */
  readonly id: string;
  readonly clock: () => Date;
  /** For the files of the night in progress. */
  readonly workFolder: string;
  readonly onEvent: (event: PublisherEvent) => void;
}

export type PublisherEvent =
  | { readonly type: 'begun'; readonly day: Day }
  | ({ readonly type: 'published'; readonly day: Day; readonly durationMs: number } & Written)
  /** Releases that are too old. */
  | { readonly type: 'skipped'; readonly from: Day; readonly to: Day }
  /** The poll rejects with this error. */
  | { readonly type: 'failed'; readonly day: Day; readonly error: unknown };

/**
 * - `idle`: nothing new.
 * - `published`: all is published now.
 * - `claimed`: another dispatcher is working.
 * - `stopped`: the signal ended it.
 */
export type PollResult = 'idle' | 'published' | 'claimed' | 'stopped';

/**
 * Turns releases of one store into events, oldest first (specification "From changes to events"). After a crash the
 * next poll, of any dispatcher, continues exactly there.
 */
export class EventPublisher {
  readonly #deps: EventPublisherDeps;

  constructor(deps: EventPublisherDeps) {
    this.#deps = deps;
  }

  /**
   * Rejects if a release can't be turned into events (files pruned or damaged, store or database unavailable), and if
   * the catalog is another store's or older than the progress. Nothing is skipped; the next poll tries again.
   *
   * @param signal ends it between two transactions
   */
  async poll(signal: AbortSignal = new AbortController().signal): Promise<PollResult> {
    const { store, control, clock } = this.#deps;
    // Before the catalog, which must not look older than another dispatcher's progress.
    const known = await readProgress(control.kysely);
    const { catalog } = await loadCatalog(store);
    if (catalog === undefined) return 'idle';
    const progress = known ?? (await this.#begin(catalog));
    if (progress === undefined) return 'idle';
    assertContinues(catalog, progress, store.url);
    const { skipped, next } = pendingReleases(catalog, progress, clock());
    if (skipped.length === 0 && next === undefined) return 'idle';
    if (!(await takeClaim(control.kysely, this.#claim()))) return 'claimed';
    try {
      return await this.#publishAll(catalog, signal);
    } finally {
      await releaseClaim(control.kysely, this.#deps.id).catch(() => undefined); // It expires by itself.
    }
  }

  /** The first poll ever. Undefined if nothing is published. */
  async #begin(catalog: Catalog): Promise<Progress | undefined> {
    const { kysely } = this.#deps.control;
    const place = firstPlace(catalog, await readFirstActive(kysely));
    const record = identityFromCatalog(catalog);
    if (place === undefined || record === undefined) return undefined;
    if (await beginProgress(kysely, { ...place, record })) this.#deps.onEvent({ type: 'begun', day: place.day });
    return readProgress(kysely);
  }

  async #publishAll(catalog: Catalog, signal: AbortSignal): Promise<PollResult> {
    for (;;) {
      if (signal.aborted) return 'stopped';
      try {
        if (!(await this.#publishNext(catalog, signal))) return 'published';
      } catch (error) {
        if (error instanceof Overtaken) return 'claimed';
        if (!signal.aborted) throw error;
      }
      await nextTick();
    }
  }

  /** False if no release is left. */
  async #publishNext(catalog: Catalog, signal: AbortSignal): Promise<boolean> {
    const { control, clock, onEvent } = this.#deps;
    const progress = await readProgress(control.kysely);
    if (progress === undefined) throw new Error('the progress of the events is missing');
    const { skipped, next } = pendingReleases(catalog, progress, clock());
    if (skipped.length > 0) {
      await this.#skip(skipped, progress);
      return true;
    }
    if (next === undefined) return false;
    try {
      await this.#publish(next, progress, signal);
      return true;
    } catch (error) {
      if (!signal.aborted && !(error instanceof Overtaken)) onEvent({ type: 'failed', day: next.entry.day, error });
      throw error;
    }
  }

  async #publish(
    { entry, before }: { readonly entry: CatalogEntry; readonly before: CatalogEntry },
    { day, seq, record }: Progress,
    signal: AbortSignal,
  ): Promise<void> {
    const { clock, workFolder, onEvent } = this.#deps;
    const startedAt = clock();
    const deps = { ...this.#deps, claim: () => this.#claim(), signal };
    const written = await withTemporaryFolder(workFolder, { prefix: 'webhooks-', now: startedAt }, (folder) =>
      publishRelease({ record, entry, before, place: { day, seq }, folder }, deps),
    );
    onEvent({ type: 'published', day: entry.day, durationMs: clock().getTime() - startedAt.getTime(), ...written });
  }

  async #skip(skipped: readonly CatalogEntry[], progress: Progress): Promise<void> {
    const [first, last] = [skipped[0], skipped.at(-1)];
    if (first === undefined || last === undefined) return;
    const step = { from: progress, to: placeOf(last), claim: this.#claim() };
    if (!(await advance(this.#deps.control.kysely, step))) throw new Overtaken();
    this.#deps.onEvent({ type: 'skipped', from: first.day, to: last.day });
  }

  #claim(): Claim {
    const now = this.#deps.clock();
    return { by: this.#deps.id, now, until: new Date(now.getTime() + CLAIM_MS) };
  }
}
