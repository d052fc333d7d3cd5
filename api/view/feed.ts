/**
 * The feed in the view: blocks of consecutive events, each event as it is sent, joined by commas and compressed. Whole blocks are sent
 * as they are to callers that accept gzip: compressing a page of 1,000 events takes as long as all else.
 */
import { crc32 } from 'node:zlib';
import { AppError } from '../../runtime/errors.ts';
import { type DeflatedText, inflate, type Piece } from '../../runtime/gzip-pieces.ts';
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
  /** Events as JSON text, joined by commas. */
  readonly pieces: readonly Piece[];
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

function readRuns(view: View, runs: readonly Run[]): readonly Piece[] {
  const pieces: Piece[] = [];
  let block: Block | undefined;
  for (const { first, last } of runs) {
    for (let seq = first; seq <= last; ) {
      if (block === undefined || seq > block.last) block = readBlock(view, seq);
      const to = Math.min(last, block.last);
      if (pieces.length > 0) pieces.push(COMMA);
      pieces.push(
        seq === block.first && to === block.last ? block.deflated : sliceOf(view, block, { first: seq, last: to }),
      );
      seq = to + 1;
    }
  }
  return pieces;
}

interface Block extends Run {
  readonly deflated: DeflatedText;
  /** Unpacked if needed. */
  readonly text: () => Buffer;
}

interface BlockRow extends DeflatedText {
  readonly first: number;
  readonly count: number;
  readonly check: number;
}

/** The block with an event. */
function readBlock(view: View, seq: number): Block {
  return view.undamaged(() => {
    const [row] = view.rows<BlockRow>(
      `SELECT first_seq AS first, length(types) AS count, deflated, bytes, crc, "check" FROM events
       WHERE first_seq <= ? ORDER BY first_seq DESC LIMIT 1`,
      [seq],
    );
    if (row === undefined || row.first + row.count <= seq) refuseMissing(seq);
    if (checkOf(row) !== row.check)
      throw new AppError('corrupt', `the block with event ${seq} is not what was written`);
    let text: Buffer | undefined;
    return { first: row.first, last: row.first + row.count - 1, deflated: row, text: () => (text ??= inflate(row)) };
  });
}

/** Of all that a block's text is restored from. */
export function checkOf({ deflated, bytes, crc }: DeflatedText): number {
  return crc32(deflated, crc32(`${bytes} ${crc}`));
}

function sliceOf(view: View, block: Block, { first, last }: Run): Buffer {
  return view.undamaged(() => {
    const text = block.text();
    const from = startOf(text, first, 0);
    return text.subarray(from, last === block.last ? text.length : startOf(text, last + 1, from) - COMMA.length);
  });
}

/** No text inside an event contains this, as its quotes would be escaped. */
export function startOf(text: Buffer, seq: number, from: number): number {
  const at = text.indexOf(`{"seq":${seq},`, from, 'latin1');
  if (at < 0) refuseMissing(seq);
  return at;
}

function refuseMissing(seq: number): never {
  throw new AppError('corrupt', `event ${seq} is missing in the view`);
}

/** Between events. */
export const COMMA = Buffer.from(',');
