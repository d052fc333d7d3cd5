import { z } from 'zod';
import { AppError } from '../../runtime/errors.ts';
import { ChangeSchema, cursorFromSeq, seqFromCursor } from '../../schemas/change.ts';
import { DATASET_NAMES, DATASETS, type DatasetName, type EntityType } from '../../schemas/datasets.ts';
import type { ChangeEvent, Changes } from '../answers.ts';
import type { Files, FollowableState, SyncDeps, SyncOptions, Update } from './copy.ts';
import { download, stateAt } from './import-snapshot.ts';
import { keyOf, writeLines } from './json-lines.ts';
import type { Snapshot } from './read-snapshots.ts';
import type { Scratch } from './scratch.ts';

export interface FollowInput extends SyncOptions {
  readonly state: FollowableState;
  readonly newest: Snapshot;
}

const PAGE_EVENTS = 1000;
/** The responses of a batch, held in memory, may have this many times the largest response. */
const BATCH_RESPONSES = 4;

/**
 * Applies the feed from the copy's cursor to exactly the snapshot's, in batches that each store their cursor; the last
 * adds the snapshot's benchmarks. Rejects with a ClientError, or `corrupt` for a page other than the one requested.
 */
export async function follow(
  { state, newest, keepsHistory }: FollowInput,
  deps: SyncDeps,
  onApplied: (batch: Batch) => void,
): Promise<void> {
  const { client, copy, scratch, clock, signal, onStep } = deps;
  const replaced: Files =
    state.benchmarks_sha256 === newest.files.benchmarks.content_sha256
      ? {}
      : { benchmarks: await download(newest, 'benchmarks', deps) };
  let seq = seqFromCursor(state.cursor) ?? 0;
  let batch = new Batch();
  const apply = async (reached: FollowableState, files: Files) => {
    await copy.update({
      ...(await batch.write(scratch, { keepsEvents: keepsHistory })),
      replaced: files,
      state: reached,
    });
    onApplied(batch);
    batch = new Batch();
  };
  while (seq < newest.seq) {
    onStep?.({ is: 'follow', seq, of: newest.seq });
    const limit = Math.min(PAGE_EVENTS, newest.seq - seq);
    const { body, bytes } = await client.getChanges({ cursor: cursorFromSeq(seq), limit }, { signal });
    batch.add(checkedEvents(body, { after: seq, limit }), bytes);
    seq += limit;
    const isLast = seq >= newest.seq;
    const isFull = batch.size >= copy.batchEvents || batch.bytes >= BATCH_RESPONSES * client.settings.answerBytesMax;
    if (isFull && !isLast) {
      await apply({ ...state, etags: null, cursor: cursorFromSeq(seq), synced_at: clock().toISOString() }, {});
    }
  }
  await apply({ ...stateAt(newest, deps), history_from: keepsHistory ? state.history_from : null }, replaced);
  await scratch.remove();
}

/** Other fields may be added. */
const PageSchema = z.object({
  events: z.array(
    z.looseObject({
      ...ChangeSchema.shape,
      key: z.record(z.string(), z.string()),
    }),
  ),
  next_cursor: z.string(),
});

/** The events, which must be exactly the requested ones. */
function checkedEvents(
  body: Changes,
  { after, limit }: { readonly after: number; readonly limit: number },
): readonly ChangeEvent[] {
  const { events = [], next_cursor: next } = PageSchema.safeParse(body).data ?? {};
  const isWhole = events.length === limit && events.every(({ seq }, index) => seq === after + index + 1);
  if (isWhole && next === cursorFromSeq(after + limit)) return body.events;
  const message = `the feed's page after event ${after} does not contain the next ${limit} events`;
  throw new AppError('corrupt', message);
}

class Batch {
  readonly #events: ChangeEvent[] = [];
  bytes = 0;

  get size(): number {
    return this.#events.length;
  }

  get upserts(): number {
    return this.#events.filter(({ op }) => op === 'upsert').length;
  }

  add(events: readonly ChangeEvent[], bytes: number): void {
    this.#events.push(...events);
    this.bytes += bytes;
  }

  /** The batch as files. Only the last event of a record counts. */
  async write(
    scratch: Scratch,
    { keepsEvents }: { readonly keepsEvents: boolean },
  ): Promise<Omit<Update, 'replaced' | 'state'>> {
    const last = new Map(this.#events.map((event) => [`${event.entity_type} ${keyText(event)}`, event]));
    const byDataset = Map.groupBy(last.values(), ({ entity_type: type }) => datasetOf(type));
    const upserts: Partial<Record<DatasetName, string>> = {};
    const deletes: Partial<Record<DatasetName, string>> = {};
    for (const [name, events] of byDataset) {
      const lines = events.flatMap(({ data }) => (data === null ? [] : [JSON.stringify(data)]));
      if (lines.length > 0) {
        upserts[name] = await scratch.path(`upserts.${name}.jsonl`);
        await writeLines(upserts[name], lines);
      }
      const gone = events.flatMap(({ op, key }) => (op === 'delete' ? [JSON.stringify(key)] : []));
      if (gone.length > 0) {
        deletes[name] = await scratch.path(`deletes.${name}.jsonl`);
        await writeLines(deletes[name], gone);
      }
    }
    if (!keepsEvents || this.#events.length === 0) return { upserts, deletes, events: undefined, dropsEvents: false };
    const events = await scratch.path('events.jsonl');
    await writeLines(
      events,
      this.#events.map((event) => JSON.stringify(event)),
    );
    return { upserts, deletes, events, dropsEvents: false };
  }
}

function keyText({ entity_type: type, key }: ChangeEvent): string {
  return JSON.stringify(keyOf(datasetOf(type), { ...key }));
}

function datasetOf(type: EntityType): DatasetName {
  const name = DATASET_NAMES.find((candidate) => DATASETS[candidate].entityType === type);
  if (name === undefined) throw new Error(`no dataset has records of the type ${type}`);
  return name;
}
