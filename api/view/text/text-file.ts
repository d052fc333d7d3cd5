/**
 * A text beside a view: a file that answers are read from by position, as they will be sent.
 *
 * - What lies within the length that the view knows never changes while a view uses it; behind it a later view may add.
 * - Every block is compared with its sum when it is read, so what is truncated, overwritten or another file's is never answered.
 * - The file stays open until the view closes, whatever becomes of its name.
 */
import { read as readAt } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError, messageFromError } from '../../../runtime/errors.ts';
import { BLOCK_BYTES, findDamagedBlock } from './block-sums.ts';
import type { BufferPool } from './buffer-pool.ts';
import type { TextMeta } from './text-meta.ts';

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
export interface LentBytes {
  readonly bytes: Buffer;
  /** To be called once, when nobody will read them any more; where it never is, the memory is collected as any other. */
  readonly giveBack: () => void;
}

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
  async readBetween(head: Buffer, slice: Slice, tail: Buffer): Promise<LentBytes> {
    const blocksFrom = slice.from - (slice.from % BLOCK_BYTES);
    const blocksTo = Math.min(Math.ceil(slice.to / BLOCK_BYTES) * BLOCK_BYTES, this.#meta.bytes);
    // The blocks are read into the middle of the answer: head and tail take the place of what was read but not wanted.
    const buffer = this.#pool.take(head.length + (blocksTo - blocksFrom) + tail.length);
    await this.#readBlocks(buffer.subarray(head.length, head.length + blocksTo - blocksFrom), blocksFrom);
    const start = slice.from - blocksFrom;
    head.copy(buffer, start);
    const end = head.length + slice.to - blocksFrom;
    tail.copy(buffer, end);
    return { bytes: buffer.subarray(start, end + tail.length), giveBack: () => this.#pool.give(buffer) };
  }

  /**
   * What a function makes of the bytes of slices in ascending order, neighbours read at once; it must not keep them. Rejects with
   * `corrupt`, as {@link readBetween}.
   */
  async readSlices<T>(slices: readonly Slice[], make: (texts: readonly Buffer[]) => T): Promise<T> {
    const groups: LentBytes[] = [];
    const texts: Buffer[] = [];
    for (const group of groupNear(slices)) {
      const from = group[0]?.from ?? 0;
      const read = await this.readBetween(NOTHING, { from, to: group.at(-1)?.to ?? from }, NOTHING);
      groups.push(read);
      for (const slice of group) texts.push(read.bytes.subarray(slice.from - from, slice.to - from));
    }
    const made = make(texts);
    for (const { giveBack } of groups) giveBack();
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
