import { z } from 'zod';
import { AppError } from '../../runtime/errors.ts';
import { ChangeSchema, cursorFromSeq, seqFromCursor } from '../../schemas/change.ts';
import type { ChangeEvent, Changes } from '../answers.ts';
import { Batch } from './batch.ts';
import type { Files, FollowableState, SyncDeps, SyncOptions } from './copy.ts';
import { download, stateAt } from './import-snapshot.ts';
import type { Snapshot } from './read-snapshots.ts';

export interface FollowInput extends SyncOptions {
  readonly state: FollowableState;
  readonly newest: Snapshot;
}

const PAGE_EVENTS = 1000;
/** How many times the largest answer the answers of a batch have, which is held in memory, before it is applied. */
const BATCH_ANSWERS = 4;

/**
 * Applies the feed from the copy's cursor to exactly the snapshot's, in batches, each with the cursor behind it; the snapshot's
 * benchmarks come with the last. Rejects with a ClientError, or `corrupt` where a page is not what was asked for.
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
    const isFull = batch.size >= copy.batchEvents || batch.bytes >= BATCH_ANSWERS * client.settings.answerBytesMax;
    if (isFull && !isLast) {
      await apply({ ...state, etags: null, cursor: cursorFromSeq(seq), synced_at: clock().toISOString() }, {});
    }
  }
  await apply({ ...stateAt(newest, deps), history_from: keepsHistory ? state.history_from : null }, replaced);
  await scratch.remove();
}

/** A page as far as a copy needs it; keys may be added to any part. */
const PageSchema = z.object({
  events: z.array(
    z.looseObject({
      ...ChangeSchema.shape,
      key: z.record(z.string(), z.string()),
    }),
  ),
  next_cursor: z.string(),
});

/** The events of a page, which must be exactly those that were asked for. */
function checkedEvents(
  body: Changes,
  { after, limit }: { readonly after: number; readonly limit: number },
): readonly ChangeEvent[] {
  const { events = [], next_cursor: next } = PageSchema.safeParse(body).data ?? {};
  const isWhole = events.length === limit && events.every(({ seq }, index) => seq === after + index + 1);
  if (isWhole && next === cursorFromSeq(after + limit)) return body.events;
  const message = `the feed's page behind event ${after} does not have the ${limit} events that come next`;
  throw new AppError('corrupt', message);
}
