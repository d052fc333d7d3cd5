import { isAppError } from '../../runtime/errors.ts';
import { cursorFromSeq, entityIdFromKey, seqFromCursor } from '../../schemas/change.ts';
import { DATASET_NAMES, DATASETS, type DatasetName, mapDatasets } from '../../schemas/datasets.ts';
import type { ChangeEvent } from '../answers.ts';
import { assertContent, assertFileAllowed, differences } from './content.ts';
import type { Copy, FollowableState, SyncDeps, SyncOptions, SyncState, Update } from './copy.ts';
import { downloadFile } from './download.ts';
import { noLines, parseRecord, readLines, writeLines } from './json-lines.ts';
import type { Snapshot } from './read-snapshots.ts';

/**
 * Replaces the copy by a snapshot, all datasets in one update; resolves to the new state. Rejects like `downloadFile`.
 */
export async function importSnapshot(snapshot: Snapshot, deps: SyncDeps & SyncOptions): Promise<FollowableState> {
  const { copy, scratch, onStep } = deps;
  await scratch.keepOnly(`${snapshot.id}.`);
  const paths: Partial<Record<DatasetName, string>> = {};
  for (const name of DATASET_NAMES) paths[name] = await download(snapshot, name, deps);
  onStep?.({ is: 'import', snapshot: snapshot.id });
  const before = await copy.state();
  const stored = await updateEvents(before, snapshot, { ...deps, paths });
  const state: FollowableState = { ...stateAt(snapshot, deps), history_from: stored.history_from };
  const { events, dropsEvents } = stored;
  await copy.update({ replaced: paths, upserts: {}, deletes: {}, events, dropsEvents, state });
  await scratch.remove();
  return state;
}

type Paths = Readonly<Partial<Record<DatasetName, string>>>;

type EventsUpdate = Pick<Update, 'events' | 'dropsEvents'> & Pick<SyncState, 'history_from'>;

async function updateEvents(
  before: SyncState | undefined,
  snapshot: Snapshot,
  { paths, ...deps }: SyncDeps & SyncOptions & { readonly paths: Paths },
): Promise<EventsUpdate> {
  const { copy, scratch, keepsHistory } = deps;
  if (before !== undefined && keepsHistory === (before.history_from !== null) && wasVerified(before, snapshot, deps)) {
    // Only the records were changed by others; the stored events still lead to the snapshot.
    return { events: undefined, dropsEvents: false, history_from: before.history_from };
  }
  const continues = canContinue(before, snapshot, deps);
  if (!keepsHistory) return { events: undefined, dropsEvents: !continues, history_from: null };
  const events = await scratch.path('events.jsonl');
  const hasContinued = await writeEvents(events, snapshot, { known: continues ? copy : undefined, paths });
  // What happened between the stored events and this snapshot isn't known by day.
  return { events, dropsEvents: !hasContinued, history_from: dayOf(snapshot) };
}

function wasVerified(
  { snapshot_id, cursor, url, etags }: SyncState,
  snapshot: Snapshot,
  { client }: Pick<SyncDeps, 'client'>,
): boolean {
  return snapshot_id === snapshot.id && cursor === snapshot.change_cursor && url === client.url && etags !== null;
}

/**
 * Writes the events that lead to the snapshot; resolves to whether they continue the copy's, which must be readable.
 */
async function writeEvents(
  path: string,
  snapshot: Snapshot,
  { known, paths }: { readonly known: Known | undefined; readonly paths: Paths },
): Promise<boolean> {
  if (known !== undefined) {
    try {
      await writeLines(path, eventsOf(snapshot, { known, paths }));
      return true;
    } catch (error) {
      if (!isAppError(error, 'corrupt')) throw error;
    }
  }
  await writeLines(path, eventsOf(snapshot, { known: NOTHING, paths }));
  return false;
}

/** Whether the snapshot follows all stored events, so that the differences are the missing events. */
function canContinue(before: SyncState | undefined, { seq }: Snapshot, { client }: Pick<SyncDeps, 'client'>): boolean {
  if (before?.history_from === undefined || before.history_from === null || before.url !== client.url) return false;
  return (seqFromCursor(before.cursor ?? '') ?? Number.POSITIVE_INFINITY) <= seq;
}

/** Empties the copy, except benchmarks, to follow the feed from its first event. */
export async function importNothing(
  newest: Snapshot,
  first: Pick<ChangeEvent, 'occurred_on'>,
  deps: SyncDeps,
): Promise<FollowableState> {
  const { copy, scratch } = deps;
  const benchmarks = await download(newest, 'benchmarks', deps);
  const nothing = await scratch.path('nothing.jsonl');
  await writeLines(nothing, []);
  const state: FollowableState = {
    ...stateAt(newest, deps),
    snapshot_id: null,
    cursor: cursorFromSeq(0),
    history_from: first.occurred_on,
  };
  const replaced = { ...mapDatasets(() => nothing), benchmarks };
  await copy.update({ replaced, upserts: {}, deletes: {}, events: undefined, dropsEvents: true, state });
  return state;
}

/** A dataset's file, verified packed and unpacked; resolves to its path. */
export async function download(snapshot: Snapshot, name: DatasetName, deps: SyncDeps): Promise<string> {
  const { client, scratch, signal, onStep } = deps;
  const file = snapshot.files[name];
  assertFileAllowed(file, { snapshot: snapshot.id, fileBytesMax: client.settings.fileBytesMax });
  const fileName = `${snapshot.id}.${name}.jsonl.gz`;
  const path = await scratch.path(fileName);
  if (!(await scratch.holds(fileName, file))) {
    const onBytes = (bytes: number) => onStep?.({ is: 'download', dataset: name, bytes, of: file.bytes });
    await downloadFile({ client, snapshot: snapshot.id, file, path, signal, onBytes });
  }
  await assertContent(path, file, snapshot.id);
  return path;
}

/** The state of a copy at a snapshot, unverified and without events. */
export function stateAt(snapshot: Snapshot, { client, clock }: Pick<SyncDeps, 'client' | 'clock'>): FollowableState {
  return {
    url: client.url,
    snapshot_id: snapshot.id,
    cursor: snapshot.change_cursor,
    schema_version: snapshot.schema_version,
    data_as_of: snapshot.data_as_of,
    synced_at: clock().toISOString(),
    benchmarks_sha256: snapshot.files.benchmarks.content_sha256,
    history_from: null,
    etags: null,
  };
}

type Known = Pick<Copy, 'lines' | 'placeOf'>;

const NOTHING: Known = { lines: () => noLines(), placeOf: () => 'nothing' };

/** The differences between copy and snapshot as events of the snapshot's day and seq; all records for a new copy. */
async function* eventsOf(
  snapshot: Snapshot,
  { known, paths }: { readonly known: Known; readonly paths: Paths },
): AsyncGenerator<string, void> {
  for (const name of DATASET_NAMES) {
    const { entityType } = DATASETS[name];
    const { [name]: path } = paths;
    if (entityType === null || path === undefined) continue;
    const before = { lines: known.lines(name, snapshot.schema_version), place: known.placeOf(name) };
    for await (const { key, right } of differences(name, before, { lines: readLines(path), place: path })) {
      yield JSON.stringify({
        seq: snapshot.seq,
        occurred_on: dayOf(snapshot),
        entity_type: entityType,
        entity_id: entityIdFromKey(key),
        key: Object.fromEntries(DATASETS[name].key.map((part, index) => [part, key[index]])),
        op: right === undefined ? 'delete' : 'upsert',
        data: right === undefined ? null : parseRecord(right),
        schema_version: snapshot.schema_version,
      });
    }
  }
}

function dayOf({ id }: Snapshot): string {
  return id.slice(0, 'YYYY-MM-DD'.length);
}
