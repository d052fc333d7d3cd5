import type { DuckDBConnection } from '@duckdb/node-api';
import { AppError } from '../../../runtime/errors.ts';
import { ENTITY_TYPES } from '../../../schemas/datasets.ts';
import { sqlText } from '../../../storage/duckdb/database.ts';
import type { HistoryKind } from '../tables/history-kinds.ts';
import { FeedIndex, type FeedQuery, type FeedRange } from './feed-index.ts';
import { HistoryFile } from './history-marks.ts';
import { type BorrowedBytes, BufferPool, TextFile } from './text-file.ts';
import type { FeedMeta, HistoryMeta, TextsMeta } from './text-meta.ts';

export interface Frame {
  readonly head: Buffer;
  readonly tail: Buffer;
}

/** The texts of an open view. Reads reject with `corrupt` if a file was changed. */
export class ViewTexts {
  readonly histories: Readonly<Record<HistoryKind, HistoryFile>>;
  readonly #feed: TextFile;
  readonly #feedIndex: FeedIndex;

  private constructor(feed: TextFile, feedIndex: FeedIndex, histories: Readonly<Record<HistoryKind, HistoryFile>>) {
    this.#feed = feed;
    this.#feedIndex = feedIndex;
    this.histories = histories;
  }

  /**
   * Rejects with `corrupt` if a text is missing, too short or contradicts the tables.
   *
   * @param firstSeq the first event of the feed, or the next one
   */
  static async open(
    folder: string,
    { feed, histories }: TextsMeta,
    { connection, firstSeq }: { readonly connection: DuckDBConnection; readonly firstSeq: number },
  ): Promise<ViewTexts> {
    const opened: TextFile[] = [];
    const pool = new BufferPool();
    const open = async (meta: FeedMeta | HistoryMeta) => {
      const file = await TextFile.open(folder, { meta, pool });
      opened.push(file);
      return file;
    };
    const openHistory = async (meta: HistoryMeta) => new HistoryFile(await open(meta), meta);
    try {
      const feedIndex = await loadFeedIndex(connection, feed, firstSeq);
      return new ViewTexts(await open(feed), feedIndex, {
        score: await openHistory(histories.score),
        ranking: await openHistory(histories.ranking),
        pricing: await openHistory(histories.pricing),
        metadata: await openHistory(histories.metadata),
      });
    } catch (error) {
      for (const file of opened) await file.close();
      throw error;
    }
  }

  findEvents(query: FeedQuery): FeedRange {
    return this.#feedIndex.find(query);
  }

  /** Joined by commas. */
  async readEvents({ slices }: FeedRange, { head, tail }: Frame): Promise<BorrowedBytes> {
    const [first, ...others] = slices;
    if (first === undefined) return { bytes: Buffer.concat([head, tail]), release: () => {} };
    if (others.length === 0) {
      const page = await this.#feed.readBetween(head, { from: first.from, to: first.to - COMMA_BYTES }, tail);
      assertBegins(page.bytes.subarray(head.length), first.firstSeq);
      return page;
    }
    const bytes = await this.#feed.readSlices(slices, (texts) => {
      for (const [i, slice] of slices.entries()) assertBegins(texts[i], slice.firstSeq);
      const events = Buffer.concat(texts);
      return Buffer.concat([head, events.subarray(0, events.length - COMMA_BYTES), tail]);
    });
    return { bytes, release: () => {} };
  }

  async close(): Promise<void> {
    for (const file of [this.#feed, ...Object.values(this.histories)]) await file.close();
  }
}

const COMMA_BYTES = 1;

/** The block sums prove that bytes are unchanged; this, that they are of this event. */
function assertBegins(text: Buffer | undefined, seq: number): void {
  const begin = Buffer.from(`{"seq":${seq},`);
  if (text?.subarray(0, begin.length).equals(begin) !== true) {
    throw new AppError('corrupt', `the text of event ${seq} doesn't start where the view says`);
  }
}

/** `changes` is in the order of seq. */
async function loadFeedIndex(connection: DuckDBConnection, feed: FeedMeta, firstSeq: number): Promise<FeedIndex> {
  const types = `[${ENTITY_TYPES.map(sqlText).join(', ')}]`;
  const counted = await connection.runAndReadAll('SELECT count(*)::INTEGER FROM changes');
  const count = Number(counted.value(0, 0));
  const [starts, codes] = [new Float64Array(count + 1), new Uint8Array(count)];
  const result = await connection.stream(
    `SELECT seq::DOUBLE, list_position(${types}, entity_type)::INTEGER - 1, bytes::DOUBLE FROM changes`,
  );
  let [row, at] = [0, feed.from];
  for (let chunk = await result.fetchChunk(); chunk !== null && chunk.rowCount > 0; chunk = await result.fetchChunk()) {
    const [seqs = [], kinds = [], lengths = []] = chunk.getColumns();
    for (let i = 0; i < seqs.length; i += 1) {
      if (seqs[i] !== firstSeq + row) throw new AppError('corrupt', `event ${firstSeq + row} of the feed is missing`);
      starts[row] = at;
      codes[row] = Number(kinds[i]);
      at += Number(lengths[i]);
      row += 1;
    }
  }
  starts[row] = at;
  if (row === count && at === feed.bytes) return new FeedIndex(firstSeq, starts, codes);
  throw new AppError('corrupt', `the feed's text has ${feed.bytes} bytes, its events ${at}`);
}
