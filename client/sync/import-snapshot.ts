import { isAppError } from '../../runtime/errors.ts';
import { cursorFromSeq, entityIdFromKey, seqFromCursor } from '../../schemas/change.ts';
import { DATASET_NAMES, DATASETS, type DatasetName, mapDatasets } from '../../schemas/datasets.ts';
import type { ChangeEvent } from '../answers.ts';
import { assertContent, assertFileAllowed, differences } from './content.ts';
import type { Copy, FollowableState, SyncDeps, SyncOptions, SyncState, Update } from './copy.ts';
import { downloadFile } from './download.ts';
import { noLines, parseRecord, readLines, writeLines } from './json-lines.ts';
import type { Snapshot } from './read-snapshots.ts';

/** Makes the copy equal to a snapshot, all five datasets at once; resolves to its state then. Rejects as `downloadFile` does. */
export async function importSnapshot(snapshot: Snapshot, deps: SyncDeps & SyncOptions): Promise<FollowableState> {
  const { copy, scratch, onStep } = deps;
  await scratch.keepOnly(`${snapshot.id}.`);
  const paths: Partial<Record<DatasetName, string>> = {};
  for (const name of DATASET_NAMES) paths[name] = await download(snapshot, name, deps);
  onStep?.({ is: 'import', snapshot: snapshot.id });
  const before = await copy.state();
  const kept = await eventsToKeep(before, snapshot, { ...deps, paths });
  const state: FollowableState = { ...stateAt(snapshot, deps), history_from: kept.history_from };
  const { events, dropsEvents } = kept;
  await copy.update({ replaced: paths, upserts: {}, deletes: {}, events, dropsEvents, state });
  await scratch.remove();
  return state;
}

type Paths = Readonly<Partial<Record<DatasetName, string>>>;

/** What becomes of the events that a copy keeps. */
type KeptEvents = Pick<Update, 'events' | 'dropsEvents'> & Pick<SyncState, 'history_from'>;

async function eventsToKeep(
  before: SyncState | undefined,
  snapshot: Snapshot,
  { paths, ...deps }: SyncDeps & SyncOptions & { readonly paths: Paths },
): Promise<KeptEvents> {
  const { copy, scratch, keepsHistory } = deps;
  if (before !== undefined && keepsHistory === (before.history_from !== null) && wasProven(before, snapshot, deps)) {
    // Others have changed the records since; the events lead to the snapshot as they are.
    return { events: undefined, dropsEvents: false, history_from: before.history_from };
  }
  const goesOn = canGoOn(before, snapshot, deps);
  if (!keepsHistory) return { events: undefined, dropsEvents: !goesOn, history_from: null };
  const events = await scratch.path('events.jsonl');
  const hasGoneOn = await writeEvents(events, snapshot, { known: goesOn ? copy : undefined, paths });
  // What happened between the events before and this snapshot is not known day by day.
  return { events, dropsEvents: !hasGoneOn, history_from: dayOf(snapshot) };
}

/** Whether the copy did equal the snapshot. */
function wasProven(
  { snapshot_id, cursor, url, etags }: SyncState,
  snapshot: Snapshot,
  { client }: Pick<SyncDeps, 'client'>,
): boolean {
  return snapshot_id === snapshot.id && cursor === snapshot.change_cursor && url === client.url && etags !== null;
}

/** Writes what leads to the snapshot, and resolves to whether it goes on from the copy: what others spoilt can't be compared with. */
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

/** Whether the snapshot comes after all events that the copy keeps, so that what differs tells the rest. */
function canGoOn(before: SyncState | undefined, { seq }: Snapshot, { client }: Pick<SyncDeps, 'client'>): boolean {
  if (before?.history_from === undefined || before.history_from === null || before.url !== client.url) return false;
  return (seqFromCursor(before.cursor ?? '') ?? Number.POSITIVE_INFINITY) <= seq;
}

/** Empties the copy, so that the whole feed can be followed from its first event; it has the snapshot's benchmarks. */
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

/** A snapshot's file of a dataset, proven packed and unpacked; its path. */
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

/** What a copy says of itself that should equal a snapshot, but is not proven yet, and keeps no events. */
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

/**
 * What leads from the copy to the snapshot, as events of the snapshot's day and cursor: of a new copy every record, of one that
 * could not follow the feed what differs.
 */
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
