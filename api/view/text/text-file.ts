import { read as readAt } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { AppError, messageFromError } from '../../../runtime/errors.ts';
import type { TextMeta } from './text-meta.ts';

/** Read and checked at once. Smaller: more sums, 4 bytes each; larger: up to two blocks of unneeded bytes per read. */
export const BLOCK_BYTES = 16_384;

/** Bytes; `from` is inclusive, `to` exclusive. */
export interface Slice {
  readonly from: number;
  readonly to: number;
}

export interface TextFileOptions {
  readonly meta: TextMeta;
  readonly pool: BufferPool;
}

/** Bytes in a pooled buffer. */
export interface BorrowedBytes {
  readonly bytes: Buffer;
  /** Call once, after the last read; without it the garbage collector frees the buffer. */
  readonly release: () => void;
}

/**
 * A file of response text, read by position.
 *
 * - Bytes of a view never change; a later view may append more.
 * - Each block is checked when read, so damaged bytes are never sent.
 * - The file stays open until the view closes, even if deleted.
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

  /** Rejects with `corrupt` if the file is missing or too short. */
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

  /** Rejects with `corrupt` if the file was changed. */
  async readBetween(head: Buffer, slice: Slice, tail: Buffer): Promise<BorrowedBytes> {
    const blocksFrom = slice.from - (slice.from % BLOCK_BYTES);
    const blocksTo = Math.min(Math.ceil(slice.to / BLOCK_BYTES) * BLOCK_BYTES, this.#meta.bytes);
    // Head and tail overwrite unneeded bytes of the blocks.
    const buffer = this.#pool.acquire(head.length + (blocksTo - blocksFrom) + tail.length);
    await this.#readBlocks(buffer.subarray(head.length, head.length + blocksTo - blocksFrom), blocksFrom);
    const start = slice.from - blocksFrom;
    head.copy(buffer, start);
    const end = head.length + slice.to - blocksFrom;
    tail.copy(buffer, end);
    return { bytes: buffer.subarray(start, end + tail.length), release: () => this.#pool.release(buffer) };
  }

  /**
   * @param slices ascending; neighbours are read at once
   * @param make must not retain the buffers
   */
  async readSlices<T>(slices: readonly Slice[], make: (texts: readonly Buffer[]) => T): Promise<T> {
    const groups: BorrowedBytes[] = [];
    const texts: Buffer[] = [];
    for (const group of groupNear(slices)) {
      const from = group[0]?.from ?? 0;
      const read = await this.readBetween(EMPTY, { from, to: group.at(-1)?.to ?? from }, EMPTY);
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
      if (bytes === 0) throw new AppError('corrupt', `${this.#path} ends too early, at byte ${position + filled}`);
      filled += bytes;
    }
    const damaged = findDamagedBlock(into, position / BLOCK_BYTES, this.#meta.sums);
    if (damaged === undefined) return;
    throw new AppError('corrupt', `${this.#path} is damaged in block ${damaged} (of ${BLOCK_BYTES} bytes each)`);
  }
}

const EMPTY = Buffer.alloc(0);

/** Largest gap within one read. Smaller: more reads; larger: more unneeded bytes. */
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

/** Resolves to the number of bytes, 0 at the end. FileHandle's promises would double the cost. */
function readInto(fd: number, buffer: Buffer, position: number): Promise<number> {
  return new Promise((resolve, reject) => {
    readAt(fd, buffer, 0, buffer.length, position, (error, bytes) => (error ? reject(error) : resolve(bytes)));
  });
}

/** Computes the CRC-32 of each block from sequential chunks. */
export class BlockSums {
  readonly #sums: number[];
  #bytes: number;

  /** Continues a text with known sums; default: starts one. */
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

/** @param first number of the first block in `blocks` */
function findDamagedBlock(blocks: Buffer, first: number, sums: readonly number[]): number | undefined {
  for (let at = 0, block = first; at < blocks.length; at += BLOCK_BYTES, block += 1) {
    if (crc32(blocks.subarray(at, at + BLOCK_BYTES)) !== sums[block]) return block;
  }
  return undefined;
}

/** Total of free buffers. Larger: more memory after a burst; smaller: more allocations. */
const FREE_BYTES_MAX = 32 * 1024 * 1024;

/** Sizes are rounded up to this, for reuse by slightly longer responses. */
const SIZE_BYTES = 64 * 1024;

/**
 * Node runs a full garbage collection about every 64 MB of large buffers: with a new one per page of the feed, that would take most of
 * the time.
 */
export class BufferPool {
  readonly #free: Buffer[] = [];
  #freeBytes = 0;

  /** At least this large, not cleared. */
  acquire(bytes: number): Buffer {
    const at = this.#free.findIndex(({ length }) => length >= bytes);
    const [buffer] = at < 0 ? [] : this.#free.splice(at, 1);
    if (buffer === undefined) return Buffer.allocUnsafeSlow(Math.ceil(bytes / SIZE_BYTES) * SIZE_BYTES);
    this.#freeBytes -= buffer.length;
    return buffer;
  }

  release(buffer: Buffer): void {
    if (this.#freeBytes + buffer.length > FREE_BYTES_MAX) return;
    this.#free.push(buffer);
    this.#freeBytes += buffer.length;
  }
}
