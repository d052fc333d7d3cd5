import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTick } from 'node:timers/promises';
import type { Day } from '../../../runtime/day.ts';
import { type Catalog, type CatalogEntry, identityFromCatalog } from '../../../schemas/catalog.ts';
import { loadCatalog } from '../../../storage/catalog.ts';
import { Overtaken } from './event-writer.ts';
import {
  assertContinues,
  beginProgress,
  type Claim,
  firstPlace,
  giveUpClaim,
  moveOn,
  type Progress,
  pendingReleases,
  placeOf,
  readProgress,
  takeClaim,
} from './progress.ts';
import { type PublishReleaseDeps, publishRelease, type Written } from './publish-release.ts';
import { readFirstActive } from './subscriptions.ts';

/**
 * How long a claim holds without a sign of life, in milliseconds. Longer: after a crash others wait longer. Shorter: while a large
 * night is compared another dispatcher begins with it, too, for nothing.
 */
const CLAIM_MS = 60_000;

export interface EventPublisherDeps extends Omit<PublishReleaseDeps, 'claim' | 'signal'> {
  /** This dispatcher's id, unlike any other's. */
  readonly id: string;
  readonly clock: () => Date;
  /** Files of a night are here while it is turned into events. */
  readonly workFolder: string;
  readonly onEvent: (event: PublisherEvent) => void;
}

/** What the publisher tells, for the log. */
export type PublisherEvent =
  | { readonly type: 'begun'; readonly day: Day }
  | ({ readonly type: 'published'; readonly day: Day; readonly durationMs: number } & Written)
  /** Releases too old to be told. */
  | { readonly type: 'skipped'; readonly from: Day; readonly to: Day }
  /** The look rejects with this error. */
  | { readonly type: 'failed'; readonly day: Day; readonly error: unknown };

/**
 * - `idle`: nothing is published, or all of it had been told.
 * - `published`: all of it is told now.
 * - `claimed`: another dispatcher is at it.
 * - `stopped`: the signal ended it.
 */
export type LookResult = 'idle' | 'published' | 'claimed' | 'stopped';

/**
 * Turns what was published into events (specification "From changes to events"): follows the catalog of one store, release by
 * release, oldest first. It may be killed anywhere: the next look, whoever's it is, goes on exactly there.
 */
export class EventPublisher {
  readonly #deps: EventPublisherDeps;

  constructor(deps: EventPublisherDeps) {
    this.#deps = deps;
  }

  /**
   * One look at the catalog. Rejects where a release can't be turned into events (its files are pruned or damaged, the store or the
   * database is away), where the catalog is another store's, or older than what was told: nothing is skipped then, and the next look
   * tries again.
   *
   * @param signal ends it between two transactions; the next look goes on there
   */
  async look(signal: AbortSignal = new AbortController().signal): Promise<LookResult> {
    const { store, control, clock } = this.#deps;
    // Before the catalog: another dispatcher may go by a newer one, which must not look like an older copy here.
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
      await giveUpClaim(control.kysely, this.#deps.id).catch(() => undefined); // It runs out by itself.
    }
  }

  /** The first look ever: says where to begin. Undefined where nothing is published. */
  async #begin(catalog: Catalog): Promise<Progress | undefined> {
    const { kysely } = this.#deps.control;
    const place = firstPlace(catalog, await readFirstActive(kysely));
    const record = identityFromCatalog(catalog);
    if (place === undefined || record === undefined) return undefined;
    if (await beginProgress(kysely, { ...place, record })) this.#deps.onEvent({ type: 'begun', day: place.day });
    return readProgress(kysely);
  }

  /** Tells release by release, each time from where the progress is, until all is told. */
  async #publishAll(catalog: Catalog, signal: AbortSignal): Promise<LookResult> {
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

  /** Tells the next release, or moves past those that are too old; false where there is none. */
  async #publishNext(catalog: Catalog, signal: AbortSignal): Promise<boolean> {
    const { control, clock, onEvent } = this.#deps;
    const progress = await readProgress(control.kysely);
    if (progress === undefined) throw new Error('the progress of the events is gone');
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
    const written = await withFolder(workFolder, startedAt, (folder) =>
      publishRelease({ record, entry, before, place: { day, seq }, folder }, deps),
    );
    onEvent({ type: 'published', day: entry.day, durationMs: clock().getTime() - startedAt.getTime(), ...written });
  }

  /** Moves past releases without telling them. */
  async #skip(skipped: readonly CatalogEntry[], progress: Progress): Promise<void> {
    const [first, last] = [skipped[0], skipped.at(-1)];
    if (first === undefined || last === undefined) return;
    const step = { from: progress, to: placeOf(last), claim: this.#claim() };
    if (!(await moveOn(this.#deps.control.kysely, step))) throw new Overtaken();
    this.#deps.onEvent({ type: 'skipped', from: first.day, to: last.day });
  }

  #claim(): Claim {
    const now = this.#deps.clock();
    return { by: this.#deps.id, now, until: new Date(now.getTime() + CLAIM_MS) };
  }
}

const PREFIX = 'webhooks-';
/** Age from which a folder is taken for one that a killed process left: no night takes nearly as long. */
const LEFT_MS = 86_400_000;

/** Works with a new folder in the work folder, gone in the end; takes away what killed processes left. */
async function withFolder<T>(workFolder: string, now: Date, work: (folder: string) => Promise<T>): Promise<T> {
  await mkdir(workFolder, { recursive: true, mode: 0o700 });
  await removeLeft(workFolder, now);
  const folder = await mkdtemp(join(workFolder, PREFIX));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function removeLeft(workFolder: string, now: Date): Promise<void> {
  for (const name of await readdir(workFolder)) {
    const path = join(workFolder, name);
    const written = name.startsWith(PREFIX) ? await stat(path).catch(() => undefined) : undefined;
    if (written !== undefined && now.getTime() - written.mtimeMs > LEFT_MS)
      await rm(path, { recursive: true, force: true });
  }
}
