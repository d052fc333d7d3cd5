import { listValue } from '@duckdb/node-api';
import { AppError } from '../../../runtime/errors.ts';
import { type DeflatedText, deflateText, inflate } from '../../../runtime/gzip-pieces.ts';
import { COMMA, checkOf, startOf } from '../feed.ts';
import { chunksOf } from './chunks.ts';
import type { Writer } from './writer.ts';

/** An event as it is sent (specification "Change events"); `data` is stored as the JSON text of the record. */
const EVENT_SQL = `concat('{"seq":', seq, ',"occurred_on":"', occurred_on, '","entity_type":"', entity_type,
  '","entity_id":', CAST(to_json(entity_id) AS VARCHAR), ',"key":', key, ',"op":"', op, '","data":', coalesce(data, 'null'),
  ',"schema_version":"', schema_version, '"}')`;

/** Larger: pages that begin inside a block compress more anew. Smaller: worse compression. */
const BLOCK_EVENTS = 100;

export interface EventsInput {
  /** Parquet files of the events that the view lacks, by ascending `seq`. */
  readonly changes: readonly string[];
  /** The first event that stays in the feed. */
  readonly firstSeq: number;
}

/**
 * Adds events, and removes those that left the feed. Blocks are those of a view built from nothing, so that compressed pages are equal.
 * Rejects with `corrupt` if an event is missing, repeated or not in its place.
 */
export async function writeEvents({ duckdb, view }: Writer, { changes, firstSeq }: EventsInput): Promise<void> {
  view.prepare('DELETE FROM events WHERE first_seq + length(types) <= ?').run(firstSeq);
  const insert = createBlockWriter(view);
  const trimmed = takeTrimmed(view, firstSeq);
  if (trimmed !== undefined) insert(trimmed);
  if (changes.length === 0) return;
  // In the order of the files, which DuckDB preserves by default: sorting a million takes longer than everything else.
  const result = await duckdb.connection.stream(
    `SELECT seq::DOUBLE, entity_type[1], ${EVENT_SQL} FROM read_parquet($1) WHERE seq >= $2`,
    [listValue([...changes]), firstSeq],
  );
  let next: number | undefined;
  let [types, texts]: [string, string[]] = ['', []];
  const endBlock = (end: number) => {
    if (texts.length === 0) return;
    insert(joinLast(view, { first: end - texts.length, types, text: Buffer.from(texts.join(',')) }));
    [types, texts] = ['', []];
  };
  for await (const { columns } of chunksOf(result)) {
    const [seqs = [], letters = [], lines = []] = columns;
    for (const [at, seq] of seqs.entries()) {
      next ??= Number(seq);
      if (seq !== next) throw new AppError('corrupt', `an event from ${next} on is missing, repeated or out of order`);
      types += letters[at];
      texts.push(String(lines[at]));
      next += 1;
      if (seq % BLOCK_EVENTS === 0) endBlock(next);
    }
  }
  if (next !== undefined) endBlock(next);
}

interface EventBlock {
  readonly first: number;
  /** One letter per event. */
  readonly types: string;
  readonly text: Uint8Array;
}

/** Removes the block that the feed begins in, and returns it without what left the feed; undefined if there is none. */
function takeTrimmed(view: Writer['view'], firstSeq: number): EventBlock | undefined {
  const block = takeBlock(view, 'first_seq < ?', firstSeq);
  if (block === undefined) return undefined;
  const text = block.text.subarray(startOf(block.text, firstSeq, 0));
  return { first: firstSeq, types: block.types.slice(firstSeq - block.first), text };
}

/** With the events before it that share its block: those of a night that ended inside one. */
function joinLast(view: Writer['view'], block: EventBlock): EventBlock {
  if ((block.first - 1) % BLOCK_EVENTS === 0) return block;
  const before = takeBlock(view, 'first_seq + length(types) = ?', block.first);
  if (before === undefined) return block;
  const text = Buffer.concat([before.text, COMMA, block.text]);
  return { first: before.first, types: before.types + block.types, text };
}

/** Removes a block and returns it; undefined if there is none. */
function takeBlock(view: Writer['view'], condition: string, value: number) {
  const row = view
    .prepare<[number], DeflatedText & { readonly first: number; readonly types: string }>(
      `DELETE FROM events WHERE ${condition} RETURNING first_seq AS first, types, deflated, bytes, crc`,
    )
    .get(value);
  return row && { first: row.first, types: row.types, text: inflate(row) };
}

function createBlockWriter(view: Writer['view']) {
  const insert = view.prepare('INSERT INTO events VALUES (@first, @types, @deflated, @bytes, @crc, @check)');
  return ({ first, types, text }: EventBlock) => {
    const block = { first, types, ...deflateText(text) };
    insert.run({ ...block, check: checkOf(block) });
  };
}
