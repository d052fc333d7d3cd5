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
  type Provenance,
  planSync,
  provenanceOf,
  readSnapshots,
  reasonToImport,
  type Snapshot,
} from './read-snapshots.ts';

/**
 * Brings the copy to the newest snapshot and verifies it by the manifest's hashes. An empty copy imports the snapshot;
 * others follow the feed, taking benchmarks from the snapshot, or import it if the cursor expired or the service
 * started again. Plans with neither page through the lists. Rejects with a {@link ClientError}, or an AppError:
 * `corrupt` for inconsistent data, `unavailable` if nothing is published, `usage` if this program is too old. The copy
 * is always at one of the updates, and the next sync continues.
 */
export async function sync(options: SyncOptions, deps: SyncDeps): Promise<SyncResult> {
  const state = await deps.copy.state();
  // Once stored, events are always stored: a run without them would leave a gap.
  const keepsHistory = options.keepsHistory || typeof state?.history_from === 'string';
  const run = new Sync({ keepsHistory }, deps);
  try {
    return await run.run();
  } catch (error) {
    if (!(error instanceof NoSnapshots)) throw error;
    return await syncLists(error.reason, deps);
  }
}

/** The plan or the service has no snapshots. */
class NoSnapshots extends Error {
  readonly reason: ClientError;

  constructor(reason: ClientError) {
    super(reason.message, { cause: reason });
    this.reason = reason;
  }
}

/** How often the newest snapshot may change or disappear during a sync. */
const ROUNDS_MAX = 5;

class Sync {
  readonly #options: SyncOptions;
  readonly #deps: SyncDeps;
  readonly #warnings: string[] = [];
  readonly #events = { upsert: 0, delete: 0 };
  #status: SyncResult['status'] = 'up_to_date';
  #etag: string | null = null;
  /** Whether this run verified the copy. */
  #isVerified = false;

  constructor(options: SyncOptions, deps: SyncDeps) {
    this.#options = options;
    this.#deps = deps;
  }

  async run(): Promise<SyncResult> {
    this.#etag = await this.#knownTag();
    for (let round = 1; ; round += 1) {
      const snapshots = (await this.#listSnapshots()) ?? (await this.#listIfChanged());
      if (snapshots === undefined) return this.#result();
      try {
        if (!(await this.#reach(snapshots))) return this.#result();
      } catch (error) {
        // Pruned, or hidden from the plan, since it was listed.
        if (!(error instanceof NotFoundError && error.param === 'snapshot_id') || round === ROUNDS_MAX) throw error;
        this.#etag = null;
      }
      if (round === ROUNDS_MAX) return this.#result();
    }
  }

  /** The ETag of the list whose newest snapshot the copy has; null: it must be listed anyway. */
  async #knownTag(): Promise<string | null> {
    const state = await this.#deps.copy.state();
    const isComplete =
      state?.url === this.#deps.client.url && (!this.#options.keepsHistory || state.history_from !== null);
    if (!isComplete) return null;
    const { snapshots = null, content } = provenanceOf(state);
    return content === undefined ? null : snapshots;
  }

  /** Without news: lists the snapshots if others changed the copy. */
  async #listIfChanged(): Promise<readonly Snapshot[] | undefined> {
    if (this.#isVerified || (await this.#isUnchanged())) return undefined;
    this.#etag = null;
    return this.#listSnapshots();
  }

  /** Whether the content is as it was when verified. */
  async #isUnchanged(): Promise<boolean> {
    const { copy, onStep } = this.#deps;
    const state = await copy.state();
    const { content } = state === undefined ? {} : provenanceOf(state);
    if (state === undefined || content === undefined) return false;
    if (content === null) return true;
    const hashes = await contentHashes(copy, state.schema_version, (dataset) => onStep?.({ is: 'check', dataset }));
    return DATASET_NAMES.every((dataset) => hashes[dataset] === content[dataset]);
  }

  /** Undefined: nothing new since the last list. */
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

  /** Brings the copy to the newest snapshot; false if there was nothing to do. */
  async #reach(snapshots: readonly Snapshot[]): Promise<boolean> {
    const [newest] = snapshots;
    if (newest === undefined) throw new AppError('unavailable', 'the service has not published a snapshot yet');
    this.#assertVersionKnown(newest);
    const state = await this.#deps.copy.state();
    const task = planSync(state, newest, { url: this.#deps.client.url, ...this.#options });
    if (task.warning !== undefined) this.#warn(task.warning);
    if (task.do === 'nothing') return false;
    if (task.do === 'import') await this.#import(snapshots, newest);
    if (task.do === 'follow') await this.#followOrImport(task.state, newest);
    await this.#verify(newest);
    await this.#storeVerification(newest);
    return true;
  }

  /** Stores in the copy that it is verified, and what the next sync compares. */
  async #storeVerification(newest: Snapshot): Promise<void> {
    const { copy } = this.#deps;
    this.#isVerified = true;
    const state = await copy.state();
    if (state === undefined) return;
    const content = this.#canVerify(newest) ? mapDatasets((dataset) => newest.files[dataset].content_sha256) : null;
    const etags = JSON.stringify({ snapshots: newest.listTag, content } satisfies Provenance);
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

  /** Verifies the copy; imports it again, once, if it differs. */
  async #verify(newest: Snapshot): Promise<void> {
    const problems = await this.#findProblems(newest);
    if (problems.length === 0) return;
    const names = problems.map(({ dataset }) => dataset).join(', ');
    this.#warn(
      this.#status === 'up_to_date'
        ? `${names} no longer equaled snapshot ${newest.id}, because another program changed the copy; everything was imported again`
        : `${names} did not equal snapshot ${newest.id} after following the feed; everything was imported again`,
    );
    await importSnapshot(newest, { ...this.#deps, ...this.#options });
    this.#status = 'imported';
    const [left] = await this.#findProblems(newest);
    if (left === undefined) return;
    throw new AppError(
      'corrupt',
      `${left.dataset} of the copy does not equal snapshot ${newest.id}, even after an import`,
    );
  }

  async #findProblems(newest: Snapshot): Promise<readonly ContentProblem[]> {
    const { copy, onStep } = this.#deps;
    if (!this.#canVerify(newest)) return [];
    return findContentProblems(newest, copy, (dataset) => onStep?.({ is: 'check', dataset }));
  }

  /** A copy in tables lacks fields that this program doesn't know. */
  #canVerify({ schema_version: version }: Snapshot): boolean {
    return this.#deps.copy.isVerbatim || isKnownVersion(version);
  }

  /** Undefined without a feed or events. */
  async #firstEvent(): Promise<ChangeEvent | undefined> {
    try {
      return (await this.#deps.client.getChanges({ limit: 1 })).body.events[0];
    } catch (error) {
      if (isLacking(error)) return undefined;
      throw error;
    }
  }

  #assertVersionKnown({ id, schema_version: version }: Snapshot): void {
    if (this.#deps.copy.isVerbatim || isKnownVersion(version)) return;
    if (numberFromVersion(version)?.major !== numberFromVersion(SCHEMA_VERSION)?.major) {
      const message = `the records of snapshot ${id} are in version ${version}, which this program doesn't know; update this program`;
      throw new AppError('usage', message);
    }
    this.#warn(
      `records of version ${version} have fields that this program doesn't know; they are omitted, and the copy is not verified`,
    );
  }

  async #result(): Promise<SyncResult> {
    const state = await this.#deps.copy.state();
    if (state === undefined) throw new Error('the sync ended without a state');
    const { snapshot_id, cursor, data_as_of } = state;
    const warnings = [...new Set(this.#warnings)];
    return { status: this.#status, snapshot_id, cursor, data_as_of, events: this.#events, warnings };
  }

  #warn(warning: string): void {
    this.#warnings.push(warning);
  }
}
