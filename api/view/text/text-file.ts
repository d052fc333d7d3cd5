import { read as readAt } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { AppError, messageFromError } from '../../../runtime/errors.ts';
import type { TextMeta } from './text-meta.ts';

/**
 * Bytes of a text file that are read and checked at once. Smaller: more sums to keep, 4 bytes each; larger: an answer reads more
 * beside what it wants, up to two blocks.
 */
export const BLOCK_BYTES = 16_384;

/** A stretch of a text, in bytes: from, inclusive, to, exclusive. */
export interface Slice {
  readonly from: number;
  readonly to: number;
}

export interface TextFileOptions {
  readonly meta: TextMeta;
  /** For what is read. */
  readonly pool: BufferPool;
}

/** Bytes in memory that is used again. */
export interface BorrowedBytes {
  readonly bytes: Buffer;
  /** To be called once, when nobody will read them any more; where it never is, the memory is collected as any other. */
  readonly release: () => void;
}

/**
 * A text beside a view: a file that answers are read from by position, as they will be sent.
 *
 * - What lies within the length that the view knows never changes while a view uses it; behind it a later view may add.
 * - Every block is compared with its sum when it is read, so what is truncated, overwritten or another file's is never answered.
 * - The file stays open until the view closes, whatever becomes of its name.
 */
export class TextFile {
  readonly #file: FileHandle;
  readonly #path: string;
  readonly #meta: TextMeta;
  readonly #pool: BufferPool;

  private constructor(file: FileHandle, path: string, { meta, pool }: TextFileOptions) {
    this.#file = file;
    this.#path = path;
    this.#meta = meta;
    this.#pool = pool;
  }

  /** Opens a view's text; rejects with `corrupt` where it isn't there or is too short. */
  static async open(folder: string, options: TextFileOptions): Promise<TextFile> {
    const { meta } = options;
    const path = join(folder, meta.file);
    const file = await open(path, 'r').catch((cause: unknown) => {
      throw new AppError('corrupt', `${path} can't be opened: ${messageFromError(cause)}`, { cause });
    });
    const { size } = await file.stat();
    if (size >= meta.bytes && meta.sums.length === Math.ceil(meta.bytes / BLOCK_BYTES)) {
      return new TextFile(file, path, options);
    }
    await file.close();
    throw new AppError('corrupt', `${path} has ${size} bytes, but ${meta.bytes} are recorded`);
  }

  /** The bytes of a slice between a head and a tail. Rejects with `corrupt` where the file isn't what was written. */
  async readBetween(head: Buffer, slice: Slice, tail: Buffer): Promise<BorrowedBytes> {
    const blocksFrom = slice.from - (slice.from % BLOCK_BYTES);
    const blocksTo = Math.min(Math.ceil(slice.to / BLOCK_BYTES) * BLOCK_BYTES, this.#meta.bytes);
    // The blocks are read into the middle of the answer: head and tail take the place of what was read but not wanted.
    const buffer = this.#pool.take(head.length + (blocksTo - blocksFrom) + tail.length);
    await this.#readBlocks(buffer.subarray(head.length, head.length + blocksTo - blocksFrom), blocksFrom);
    const start = slice.from - blocksFrom;
    head.copy(buffer, start);
    const end = head.length + slice.to - blocksFrom;
    tail.copy(buffer, end);
    return { bytes: buffer.subarray(start, end + tail.length), release: () => this.#pool.give(buffer) };
  }

  /**
   * What a function makes of the bytes of slices in ascending order, neighbours read at once; it must not keep them. Rejects with
   * `corrupt`, as {@link readBetween}.
   */
  async readSlices<T>(slices: readonly Slice[], make: (texts: readonly Buffer[]) => T): Promise<T> {
    const groups: BorrowedBytes[] = [];
    const texts: Buffer[] = [];
    for (const group of groupNear(slices)) {
      const from = group[0]?.from ?? 0;
      const read = await this.readBetween(NOTHING, { from, to: group.at(-1)?.to ?? from }, NOTHING);
      groups.push(read);
      for (const slice of group) texts.push(read.bytes.subarray(slice.from - from, slice.to - from));
    }
    const made = make(texts);
    for (const { release } of groups) release();
    return made;
  }

  close(): Promise<void> {
    return this.#file.close();
  }

  async #readBlocks(into: Buffer, position: number): Promise<void> {
    let filled = 0;
    while (filled < into.length) {
      const bytes = await readInto(this.#file.fd, into.subarray(filled), position + filled).catch((cause: unknown) => {
        throw new AppError('corrupt', `${this.#path} can't be read: ${messageFromError(cause)}`, { cause });
      });
      if (bytes === 0) throw new AppError('corrupt', `${this.#path} ends at ${position + filled}, too early`);
      filled += bytes;
    }
    const damaged = findDamagedBlock(into, position / BLOCK_BYTES, this.#meta.sums);
    if (damaged === undefined) return;
    throw new AppError('corrupt', `${this.#path} is damaged in its block ${damaged} of ${BLOCK_BYTES} bytes`);
  }
}

const NOTHING = Buffer.alloc(0);

/** Bytes between two slices that are rather read than skipped. Smaller: more reads; larger: more is read for nothing. */
const GAP_BYTES_MAX = BLOCK_BYTES;

function groupNear(slices: readonly Slice[]): readonly (readonly Slice[])[] {
  const groups: Slice[][] = [];
  for (const slice of slices) {
    const last = groups.at(-1);
    if (last !== undefined && slice.from - (last.at(-1)?.to ?? 0) <= GAP_BYTES_MAX) last.push(slice);
    else groups.push([slice]);
  }
  return groups;
}

/** Some of the bytes at a position; 0 at the end of the file. Without the promises of FileHandle, which cost as much again. */
function readInto(fd: number, buffer: Buffer, position: number): Promise<number> {
  return new Promise((resolve, reject) => {
    readAt(fd, buffer, 0, buffer.length, position, (error, bytes) => (error ? reject(error) : resolve(bytes)));
  });
}

/** The CRC-32 of each block of a text, made while the text is written or read from its beginning to its end. */
export class BlockSums {
  readonly #sums: number[];
  #bytes: number;

  /** Goes on behind a text whose sums are known; default: begins one. */
  constructor({ bytes, sums }: { readonly bytes: number; readonly sums: readonly number[] } = { bytes: 0, sums: [] }) {
    this.#bytes = bytes;
    this.#sums = [...sums];
  }

  get bytes(): number {
    return this.#bytes;
  }

  get sums(): readonly number[] {
    return this.#sums;
  }

  add(chunk: Buffer): void {
    for (let at = 0; at < chunk.length; ) {
      const within = this.#bytes % BLOCK_BYTES;
      const part = chunk.subarray(at, at + BLOCK_BYTES - within);
      const block = Math.floor(this.#bytes / BLOCK_BYTES);
      this.#sums[block] = crc32(part, within === 0 ? 0 : (this.#sums[block] ?? 0));
      this.#bytes += part.length;
      at += part.length;
    }
  }
}

/** The number of the first block of `blocks`, which begin at block `first`, that is not what its sum says; undefined: none. */
function findDamagedBlock(blocks: Buffer, first: number, sums: readonly number[]): number | undefined {
  for (let at = 0, block = first; at < blocks.length; at += BLOCK_BYTES, block += 1) {
    if (crc32(blocks.subarray(at, at + BLOCK_BYTES)) !== sums[block]) return block;
  }
  return undefined;
}

/** Memory that is kept to be used again, all free buffers together. Larger: more memory after a burst; smaller: more is allocated. */
const FREE_BYTES_MAX = 32 * 1024 * 1024;

/** Sizes are rounded up to this, so that a buffer serves for the next answer, which is a little longer. */
const SIZE_BYTES = 64 * 1024;

/**
 * Buffers for what is read and soon done with. Node's memory for large buffers lies outside of its heap, and for every 64 MB or so
 * of it all of the heap is searched for what is free: with a new buffer for each page of the feed that would take most of the time.
 */
export class BufferPool {
  readonly #free: Buffer[] = [];
  #freeBytes = 0;

  /** A buffer of at least so many bytes, with anything in it. */
  take(bytes: number): Buffer {
    const at = this.#free.findIndex(({ length }) => length >= bytes);
    const [buffer] = at < 0 ? [] : this.#free.splice(at, 1);
    if (buffer === undefined) return Buffer.allocUnsafeSlow(Math.ceil(bytes / SIZE_BYTES) * SIZE_BYTES);
    this.#freeBytes -= buffer.length;
    return buffer;
  }

  /** Gives a buffer back that nobody will read or write any more; one that never comes back is collected as any other. */
  give(buffer: Buffer): void {
    if (this.#freeBytes + buffer.length > FREE_BYTES_MAX) return;
    this.#free.push(buffer);
    this.#freeBytes += buffer.length;
  }
}
