import { DuckDBBlobValue, listValue } from '@duckdb/node-api';
import pLimit from 'p-limit';
import { AppError } from '../../../runtime/errors.ts';
import { type DeflatedText, deflateText, inflate } from '../../../runtime/gzip-pieces.ts';
import { number } from '../../../storage/duckdb/row-shape.ts';
import { COMMA, checkOf, startOf } from '../feed.ts';
import { chunksOf, type Writer } from './writer.ts';

/** An event as it is sent (specification "Change events"); `data` is stored as the JSON text of the record. */
const EVENT_SQL = `concat('{"seq":', seq, ',"occurred_on":"', occurred_on, '","entity_type":"', entity_type,
  '","entity_id":', CAST(to_json(entity_id) AS VARCHAR), ',"key":', key, ',"op":"', op, '","data":', coalesce(data, 'null'),
  ',"schema_version":"', schema_version, '"}')`;

/** Larger: pages that begin inside a block compress more anew. Smaller: worse compression. */
const BLOCK_EVENTS = 100;

/** Events per query, which DuckDB holds in memory as text: some 25 MB. */
const QUERY_EVENTS = 500 * BLOCK_EVENTS;

/** More: 0.3 MB of memory each. Fewer: compression waits for the thread that inserts records. */
const COMPRESSED_AT_ONCE = 64;

export interface EventsInput {
  /** Parquet files of the events that the view lacks. */
  readonly changes: readonly string[];
  /** The first event that stays in the feed. */
  readonly firstSeq: number;
}

/**
 * Adds events, and removes those that left the feed. Blocks are those of a view built from nothing, so that compressed pages are equal.
 * Rejects with `corrupt` if an event is missing.
 */
export async function writeEvents({ duckdb, view }: Writer, { changes, firstSeq }: EventsInput): Promise<void> {
  view.prepare('DELETE FROM events WHERE first_seq + length(types) <= ?').run(firstSeq);
  await trimFirst(view, firstSeq);
  if (changes.length === 0) return;
  const files = listValue([...changes]);
  const added = await duckdb.row(
    { first: number, last: number },
    `SELECT coalesce(min(seq), 1)::DOUBLE AS first, coalesce(max(seq), 0)::DOUBLE AS last FROM read_parquet($1) WHERE seq >= $2`,
    [files, firstSeq],
  );
  let next = added.first;
  for (let from = added.first; from <= added.last; from = endOf(from)) {
    const result = await duckdb.connection.stream(
      `SELECT min(seq)::DOUBLE, string_agg(entity_type[1], '' ORDER BY seq), encode(string_agg(${EVENT_SQL}, ',' ORDER BY seq)),
         max(seq)::DOUBLE
       FROM read_parquet($1) WHERE seq >= $2 AND seq < $3 GROUP BY (seq - 1) // ${BLOCK_EVENTS} ORDER BY 1`,
      [files, from, endOf(from)],
    );
    for await (const { columns } of chunksOf(result)) {
      const [firsts = [], types = [], texts = [], lasts = []] = columns;
      const blocks: EventBlock[] = [];
      for (const [at, text] of texts.entries()) {
        const [first, letters] = [Number(firsts[at]), String(types[at])];
        if (first !== next || letters.length !== Number(lasts[at]) - next + 1) {
          throw new AppError('corrupt', `an event from ${next} on is missing or repeated`);
        }
        blocks.push(joinLast(view, { first, types: letters, text: bytesOf(text) }));
        next += letters.length;
      }
      await insertBlocks(view, blocks);
    }
  }
}

interface EventBlock {
  readonly first: number;
  /** One letter per event. */
  readonly types: string;
  readonly text: Uint8Array;
}

/** Cuts what left the feed off the first block. */
async function trimFirst(view: Writer['view'], firstSeq: number): Promise<void> {
  const block = takeBlock(view, 'first_seq < ?', firstSeq);
  if (block === undefined) return;
  const text = block.text.subarray(startOf(block.text, firstSeq, 0));
  await insertBlocks(view, [{ first: firstSeq, types: block.types.slice(firstSeq - block.first), text }]);
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

async function insertBlocks(view: Writer['view'], blocks: readonly EventBlock[]): Promise<void> {
  const insert = view.prepare('INSERT INTO events VALUES (@first, @types, @deflated, @bytes, @crc, @check)');
  const compress = pLimit(COMPRESSED_AT_ONCE);
  const packed = await compress.map(blocks, async ({ first, types, text }) => ({
    first,
    types,
    ...(await deflateText(text)),
  }));
  for (const block of packed) insert.run({ ...block, check: checkOf(block) });
}

/** The first event of the next query: queries end where blocks do. */
function endOf(from: number): number {
  return (Math.floor((from - 1) / QUERY_EVENTS) + 1) * QUERY_EVENTS + 1;
}

function bytesOf(value: unknown): Uint8Array {
  if (value instanceof DuckDBBlobValue) return value.bytes;
  throw new TypeError('DuckDB returned no bytes');
}
