/**
 * The feed in the view: blocks of consecutive events, each event as it is sent, joined by commas and compressed with gzip. A block
 * unpacks as fast as plain text is read, in a tenth of the space; gzip also notices a flipped byte.
 */
import { gunzipSync } from 'node:zlib';
import { AppError } from '../../runtime/errors.ts';
import type { EntityType } from '../../schemas/datasets.ts';
import type { View } from './view.ts';
import { firstRetainedSeq } from './view-meta.ts';

export interface FeedQuery {
  readonly after: number;
  readonly limit: number;
  /** Only events of this type, among the next `scannedMax`; undefined: all. */
  readonly entityType: EntityType | undefined;
  readonly scannedMax: number;
}

export interface FeedPage {
  /** Events as JSON text, joined by commas, in pieces. */
  readonly pieces: readonly Buffer[];
  /** The last event that was scanned, matching or not. */
  readonly lastSeq: number;
}

interface Run {
  readonly first: number;
  readonly last: number;
}

export function readFeed(view: View, query: FeedQuery): FeedPage {
  const after = Math.max(query.after, firstRetainedSeq(view.meta.catalog) - 1);
  const { runs, lastSeq } = query.entityType === undefined ? findAll(view, after, query) : findOf(view, after, query);
  return { pieces: readRuns(view, runs), lastSeq };
}

function findAll({ newest }: View, after: number, { limit }: FeedQuery) {
  const lastSeq = Math.min(after + limit, newest.last_seq);
  return { runs: lastSeq > after ? [{ first: after + 1, last: lastSeq }] : [], lastSeq };
}

/** Consecutive events of the type. */
function findOf(view: View, after: number, { limit, entityType, scannedMax }: FeedQuery) {
  const lastSeq = Math.min(after + scannedMax, view.newest.last_seq);
  const letter = entityType?.[0];
  const runs: { first: number; last: number }[] = [];
  let found = 0;
  for (const { first, types } of readTypes(view, { first: after + 1, last: lastSeq })) {
    for (let at = Math.max(after + 1 - first, 0); at < types.length && first + at <= lastSeq; at += 1) {
      if (types[at] !== letter) continue;
      const [seq, run] = [first + at, runs.at(-1)];
      if (run?.last === seq - 1) run.last = seq;
      else runs.push({ first: seq, last: seq });
      found += 1;
      if (found === limit) return { runs, lastSeq: seq };
    }
  }
  return { runs, lastSeq };
}

interface TypedBlock {
  readonly first: number;
  /** One letter per event. */
  readonly types: string;
}

/** The blocks with the events of a run. */
function readTypes(view: View, { first, last }: Run): readonly TypedBlock[] {
  return view.undamaged(() => {
    const blocks = view.rows<TypedBlock>(
      `SELECT first_seq AS first, types FROM events
       WHERE first_seq >= coalesce((SELECT max(first_seq) FROM events WHERE first_seq <= ?), 0) AND first_seq <= ? ORDER BY first_seq`,
      [first, last],
    );
    let next = first;
    for (const block of blocks) {
      if (block.first > next) refuseMissing(next);
      next = block.first + block.types.length;
    }
    if (next <= last) refuseMissing(next);
    return blocks;
  });
}

function readRuns(view: View, runs: readonly Run[]): readonly Buffer[] {
  const pieces: Buffer[] = [];
  let block: Block | undefined;
  for (const { first, last } of runs) {
    for (let seq = first; seq <= last; ) {
      if (block === undefined || seq > block.last) block = readBlock(view, seq);
      const to = Math.min(last, block.last);
      if (pieces.length > 0) pieces.push(COMMA);
      pieces.push(sliceOf(view, block, { first: seq, last: to }));
      seq = to + 1;
    }
  }
  return pieces;
}

interface Block extends Run {
  readonly text: Buffer;
}

/** The block with an event. */
function readBlock(view: View, seq: number): Block {
  return view.undamaged(() => {
    const [row] = view.rows<{ readonly first: number; readonly count: number; readonly json: Buffer }>(
      'SELECT first_seq AS first, length(types) AS count, json FROM events WHERE first_seq <= ? ORDER BY first_seq DESC LIMIT 1',
      [seq],
    );
    if (row === undefined || row.first + row.count <= seq) refuseMissing(seq);
    return { first: row.first, last: row.first + row.count - 1, text: unpack(row.json) };
  });
}

/**
 * At once into one buffer of its size: a page of 1,000 events takes 0.5 MB instead of 1.6, so the garbage collector, which these bytes
 * trigger, runs a third as often.
 */
function unpack(packed: Buffer): Buffer {
  // gzip ends with the size (RFC 1952, 2.3.1); one byte more, so that zlib sees the end without a second buffer.
  const size = packed.length < 4 ? 0 : packed.readUInt32LE(packed.length - 4);
  return gunzipSync(packed, { chunkSize: Math.min(Math.max(size + 1, CHUNK_BYTES_MIN), CHUNK_BYTES_MAX) });
}

/** zlib's own minimum; and a bound for a damaged size. */
const CHUNK_BYTES_MIN = 64;
const CHUNK_BYTES_MAX = 16 * 1024 * 1024;

function sliceOf(view: View, { text, last: end }: Block, { first, last }: Run): Buffer {
  return view.undamaged(() => {
    const from = startOf(text, first, 0);
    return text.subarray(from, last === end ? text.length : startOf(text, last + 1, from) - COMMA.length);
  });
}

/** No text inside an event contains this, as its quotes would be escaped. */
function startOf(text: Buffer, seq: number, from: number): number {
  const at = text.indexOf(`{"seq":${seq},`, from, 'latin1');
  if (at < 0) refuseMissing(seq);
  return at;
}

function refuseMissing(seq: number): never {
  throw new AppError('corrupt', `event ${seq} is missing in the view`);
}

const COMMA = Buffer.from(',');
