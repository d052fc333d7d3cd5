import { AppError } from '../../runtime/errors.ts';
import { DATASET_NAMES, mapDatasets } from '../../schemas/datasets.ts';
import { numberFromVersion } from '../../schemas/record-version.ts';
import { isKnownVersion, SCHEMA_VERSION } from '../../schemas/record-versions.ts';
import type { ChangeEvent } from '../answers.ts';
import { type ClientError, NotFoundError } from '../errors.ts';
import { type ContentProblem, contentHashes, findContentProblems } from './content.ts';
import type { FollowableState, SyncDeps, SyncOptions, SyncResult } from './copy.ts';
import { follow } from './follow.ts';
import { importNothing, importSnapshot } from './import-snapshot.ts';
import { syncLists } from './lists.ts';
import {
  baseOf,
  isLacking,
  type MadeOf,
  madeOf,
  readSnapshots,
  reasonToImport,
  type Snapshot,
  whatToDo,
} from './read-snapshots.ts';

/**
 * Makes the copy equal to the newest snapshot, and proves it by the hashes of the snapshot's manifest: an empty copy is made of the
 * snapshot, another follows the change feed to the snapshot's cursor, with benchmarks, which the feed doesn't have, taken from the
 * snapshot. What can't be followed, because the cursor has expired or the service began anew, is imported. Where the plan has
 * neither, the lists are paged. Rejects with a {@link ClientError}, or with an AppError: `corrupt` where what the service gives
 * doesn't fit together, `unavailable` where nothing is published, `usage` where this program is too old. Whatever the end, the copy
 * is as one of the updates left it, and the next sync goes on from there.
 */
export async function sync(options: SyncOptions, deps: SyncDeps): Promise<SyncResult> {
  const state = await deps.copy.state();
  // Who keeps events once keeps them: a single run without them would leave a hole.
  const keepsHistory = options.keepsHistory || typeof state?.history_from === 'string';
  const run = new Sync({ keepsHistory }, deps);
  try {
    return await run.run();
  } catch (error) {
    if (!(error instanceof NoSnapshots)) throw error;
    return await syncLists(error.reason, deps);
  }
}

/** The plan, or the service, has no snapshots at all. */
class NoSnapshots extends Error {
  readonly reason: ClientError;

  constructor(reason: ClientError) {
    super(reason.message, { cause: reason });
    this.reason = reason;
  }
}

/** How often the newest snapshot may change, or go away, while it is being reached. */
const ROUNDS_MAX = 5;

class Sync {
  readonly #options: SyncOptions;
  readonly #deps: SyncDeps;
  readonly #warnings: string[] = [];
  readonly #events = { upsert: 0, delete: 0 };
  #status: SyncResult['status'] = 'up_to_date';
  #etag: string | null = null;
  /** Whether this run has found the copy to be right. */
  #isProven = false;

  constructor(options: SyncOptions, deps: SyncDeps) {
    this.#options = options;
    this.#deps = deps;
  }

  async run(): Promise<SyncResult> {
    this.#etag = await this.#knownTag();
    for (let round = 1; ; round += 1) {
      const snapshots = (await this.#listSnapshots()) ?? (await this.#listForChanged());
      if (snapshots === undefined) return this.#result();
      try {
        if (!(await this.#reach(snapshots))) return this.#result();
      } catch (error) {
        // Pruned, or no longer the plan's to see, since it was listed: there is another.
        if (!(error instanceof NotFoundError && error.param === 'snapshot_id') || round === ROUNDS_MAX) throw error;
        this.#etag = null;
      }
      if (round === ROUNDS_MAX) return this.#result();
    }
  }

  /** The tag of the list whose newest snapshot the copy has reached; null: there is something to do anyhow. */
  async #knownTag(): Promise<string | null> {
    const state = await this.#deps.copy.state();
    const isComplete =
      state?.url === this.#deps.client.url && (!this.#options.keepsHistory || state.history_from !== null);
    if (!isComplete) return null;
    const { snapshots = null, content } = madeOf(state);
    return content === undefined ? null : snapshots;
  }

  /** Nothing is new: the snapshots all the same where the copy is no longer what it was, else undefined. */
  async #listForChanged(): Promise<readonly Snapshot[] | undefined> {
    if (this.#isProven || (await this.#isAsItWas())) return undefined;
    this.#etag = null;
    return this.#listSnapshots();
  }

  /** Whether the copy has the content that was noted when it was proven. */
  async #isAsItWas(): Promise<boolean> {
    const { copy, onStep } = this.#deps;
    const state = await copy.state();
    const { content } = state === undefined ? {} : madeOf(state);
    if (state === undefined || content === undefined) return false;
    if (content === null) return true;
    const hashes = await contentHashes(copy, state.schema_version, (dataset) => onStep?.({ is: 'check', dataset }));
    return DATASET_NAMES.every((dataset) => hashes[dataset] === content[dataset]);
  }

  /** Undefined: none are new since they were last listed. */
  async #listSnapshots(): Promise<readonly Snapshot[] | undefined> {
    const { client, signal } = this.#deps;
    const list = client.ifChanged(this.#etag, (conditional) => conditional.listSnapshots({}, { signal }));
    const response = await list.catch((error: unknown) => {
      throw isLacking(error) ? new NoSnapshots(error) : error;
    });
    if (response === undefined) return undefined;
    this.#etag = response.etag;
    return readSnapshots(response);
  }

  /** Brings the copy to the newest of the snapshots; false where there was nothing to do. */
  async #reach(snapshots: readonly Snapshot[]): Promise<boolean> {
    const [newest] = snapshots;
    if (newest === undefined) throw new AppError('unavailable', 'the service has not published a snapshot yet');
    this.#assertVersionKnown(newest);
    const state = await this.#deps.copy.state();
    const what = whatToDo(state, newest, { url: this.#deps.client.url, ...this.#options });
    if (what.warning !== undefined) this.#warn(what.warning);
    if (what.do === 'nothing') return false;
    if (what.do === 'import') await this.#import(snapshots, newest);
    if (what.do === 'follow') await this.#followOrImport(what.state, newest);
    await this.#prove(newest);
    await this.#noteProof(newest);
    return true;
  }

  /** Says in the copy that it is proven, what the next sync asks with, and what it compares. */
  async #noteProof(newest: Snapshot): Promise<void> {
    const { copy } = this.#deps;
    this.#isProven = true;
    const state = await copy.state();
    if (state === undefined) return;
    const content = this.#canProve(newest) ? mapDatasets((dataset) => newest.files[dataset].content_sha256) : null;
    const etags = JSON.stringify({ snapshots: newest.listTag, content } satisfies MadeOf);
    const nothing = { replaced: {}, upserts: {}, deletes: {}, events: undefined, dropsEvents: false };
    if (etags !== state.etags) await copy.update({ ...nothing, state: { ...state, etags } });
  }

  async #import(snapshots: readonly Snapshot[], newest: Snapshot): Promise<void> {
    const first = this.#options.keepsHistory ? await this.#firstEvent() : undefined;
    this.#status = 'imported';
    const state =
      first?.seq === 1
        ? await importNothing(newest, first, this.#deps)
        : await importSnapshot(baseOf(snapshots, newest, first), { ...this.#deps, ...this.#options });
    if (state.cursor !== newest.change_cursor) await this.#follow(state, newest);
  }

  async #followOrImport(state: FollowableState, newest: Snapshot): Promise<void> {
    try {
      await this.#follow(state, newest);
      if (this.#status === 'up_to_date') this.#status = 'followed';
    } catch (error) {
      const reason = reasonToImport(error);
      if (reason === undefined) throw error;
      this.#warn(reason);
      await importSnapshot(newest, { ...this.#deps, ...this.#options });
      this.#status = 'imported';
    }
  }

  async #follow(state: FollowableState, newest: Snapshot): Promise<void> {
    await follow({ state, newest, ...this.#options }, this.#deps, ({ upserts, size }) => {
      this.#events.upsert += upserts;
      this.#events.delete += size - upserts;
    });
  }

  /** What equals the snapshot in name must in fact; what doesn't is imported anew, once. */
  async #prove(newest: Snapshot): Promise<void> {
    const problems = await this.#findProblems(newest);
    if (problems.length === 0) return;
    const names = problems.map(({ dataset }) => dataset).join(', ');
    this.#warn(
      this.#status === 'up_to_date'
        ? `${names} no longer equaled snapshot ${newest.id}, as something else wrote into the copy; all was imported anew`
        : `${names} did not equal snapshot ${newest.id} after the feed was followed; all was imported anew`,
    );
    await importSnapshot(newest, { ...this.#deps, ...this.#options });
    this.#status = 'imported';
    const [left] = await this.#findProblems(newest);
    if (left === undefined) return;
    throw new AppError(
      'corrupt',
      `${left.dataset} of the copy does not equal snapshot ${newest.id}, imported though it was`,
    );
  }

  async #findProblems(newest: Snapshot): Promise<readonly ContentProblem[]> {
    const { copy, onStep } = this.#deps;
    if (!this.#canProve(newest)) return [];
    return findContentProblems(newest, copy, (dataset) => onStep?.({ is: 'check', dataset }));
  }

  /** A copy with columns of its own lacks the fields that this program doesn't know. */
  #canProve({ schema_version: version }: Snapshot): boolean {
    return this.#deps.copy.isVerbatim || isKnownVersion(version);
  }

  /** The first event that the feed has; undefined where there is no feed, or nothing in it. */
  async #firstEvent(): Promise<ChangeEvent | undefined> {
    try {
      return (await this.#deps.client.getChanges({ limit: 1 })).body.events[0];
    } catch (error) {
      if (isLacking(error)) return undefined;
      throw error;
    }
  }

  /** A copy with columns of its own can only take records that this program knows. */
  #assertVersionKnown({ id, schema_version: version }: Snapshot): void {
    if (this.#deps.copy.isVerbatim || isKnownVersion(version)) return;
    if (numberFromVersion(version)?.major !== numberFromVersion(SCHEMA_VERSION)?.major) {
      const message = `the records of snapshot ${id} are in version ${version}, which this program doesn't know; use a newer one`;
      throw new AppError('usage', message);
    }
    this.#warn(
      `records of version ${version} have fields that this program doesn't know; they are left out, and the copy is not proven`,
    );
  }

  async #result(): Promise<SyncResult> {
    const state = await this.#deps.copy.state();
    if (state === undefined) throw new Error('a sync has ended without a state');
    const { snapshot_id, cursor, data_as_of } = state;
    const warnings = [...new Set(this.#warnings)];
    return { status: this.#status, snapshot_id, cursor, data_as_of, events: this.#events, warnings };
  }

  #warn(warning: string): void {
    this.#warnings.push(warning);
  }
}
