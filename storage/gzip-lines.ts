/**
 * gzip JSON Lines, written so that the same lines always give the same bytes with the same zlib: fixed level, no time
 * stamp, and members of a fixed number of uncompressed bytes. A file of several members is one gzip file to every
 * reader that follows RFC 1952; cutting it lets all cores compress.
 */
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { createGunzip, gzip } from 'node:zlib';
import { bufferBytes } from './hash.ts';

const compress = promisify(gzip);

/** Uncompressed bytes of a member. Smaller costs compression, larger costs memory and parallel work. */
const MEMBER_BYTES = 8 * 1024 * 1024;
/** A third of the time of level 9 for a few per cent more bytes. */
const LEVEL = 6;
/** Members in memory at once, each with its input and output. */
const MEMBERS_IN_FLIGHT_MAX = 3;

/** What zlib returns at once; it doesn't change the bytes. With its default of 16 kB the main thread is called too often. */
const OUTPUT_BYTES = 1024 * 1024;

export interface GzipResult {
  readonly bytes: number;
  readonly sha256: string;
  readonly content_bytes: number;
  readonly content_sha256: string;
}

/** Compresses a file of lines; hashes both sides on the way. Memory is bounded whatever the size. */
export async function gzipLines(linesPath: string, gzipPath: string): Promise<GzipResult> {
  const [input, output] = [await open(linesPath, 'r'), await open(gzipPath, 'wx')];
  try {
    const content = createHash('sha256');
    const file = createHash('sha256');
    const { size } = await input.stat();
    let [contentBytes, bytes] = [0, 0];
    const pending: Promise<Buffer>[] = [];
    /** The inputs, used in turn: the oldest member has been written before its buffer is used again. */
    const buffers: Buffer[] = [];
    const writeNext = async () => {
      const member = await pending.shift();
      if (member === undefined) return;
      file.update(member);
      bytes += member.length;
      await output.appendFile(member);
    };
    for (let member = 0; ; member += 1) {
      const buffer = buffers[member % MEMBERS_IN_FLIGHT_MAX] ?? Buffer.allocUnsafe(bufferBytes(size + 1, MEMBER_BYTES));
      buffers[member % MEMBERS_IN_FLIGHT_MAX] = buffer;
      const chunk = await readFully(input, buffer);
      if (chunk.length === 0 && contentBytes > 0) break;
      pending.push(compress(chunk, { level: LEVEL, chunkSize: bufferBytes(chunk.length, OUTPUT_BYTES) }));
      content.update(chunk);
      contentBytes += chunk.length;
      if (pending.length >= MEMBERS_IN_FLIGHT_MAX) await writeNext();
      if (chunk.length < buffer.length) break;
    }
    while (pending.length > 0) await writeNext();
    return {
      bytes,
      sha256: file.digest('hex'),
      content_bytes: contentBytes,
      content_sha256: content.digest('hex'),
    };
  } finally {
    await Promise.all([input.close(), output.close()]);
  }
}

/** Fills the buffer as far as the file goes. */
async function readFully(file: Awaited<ReturnType<typeof open>>, buffer: Buffer): Promise<Buffer> {
  let length = 0;
  while (length < buffer.length) {
    const { bytesRead } = await file.read(buffer, length, buffer.length - length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return buffer.subarray(0, length);
}

/** Unpacks a snapshot's file. */
export async function unpackLines(gzipPath: string, to: string): Promise<void> {
  await pipeline(createReadStream(gzipPath), createGunzip(), createWriteStream(to));
}

const NEWLINE = 0x0a;

/**
 * Walks over a stream of bytes line by line, without a copy of each: what is at hand is taken without waiting, and
 * `fill` brings more. A last line without a newline is one too.
 */
export class LineReader {
  readonly #chunks: AsyncIterator<Buffer>;
  #buffer: Buffer = Buffer.alloc(0);
  /** The part of `#buffer` that holds something. */
  #bytes: Buffer = this.#buffer;
  /** Where the current line starts in `#bytes`. */
  #start = 0;
  #last: Buffer | undefined;
  #isAtEnd = false;

  constructor(chunks: AsyncIterable<Buffer>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** Everything at hand, from the start of the current line on; may end within a line. */
  get ahead(): Buffer {
    return this.#bytes.subarray(this.#start);
  }

  /** The current line without its newline, as far as it is at hand; undefined: more is needed, or this is the end. */
  get line(): Buffer | undefined {
    const end = this.#bytes.indexOf(NEWLINE, this.#start);
    if (end >= 0) return this.#bytes.subarray(this.#start, end);
    return this.#isAtEnd && this.#start < this.#bytes.length ? this.ahead : undefined;
  }

  /** The line before the current one. */
  get last(): Buffer | undefined {
    if (this.#start === 0) return this.#last;
    const end = this.#start - 1;
    return this.#bytes.subarray(end === 0 ? 0 : this.#bytes.lastIndexOf(NEWLINE, end - 1) + 1, end);
  }

  /** Goes on by whole lines: `bytes` of `ahead`, newlines included. */
  skip(bytes: number): void {
    this.#start = Math.min(this.#start + bytes, this.#bytes.length);
  }

  /** The current line, read on for it where needed; undefined at the end. What `line` and `ahead` gave before is gone then. */
  async readLine(): Promise<Buffer | undefined> {
    for (;;) {
      const { line } = this;
      if (line !== undefined || this.#isAtEnd) return line;
      const { value, done } = await this.#chunks.next();
      if (done === true) this.#isAtEnd = true;
      else this.#append(value);
    }
  }

  /** Keeps what is ahead and puts the chunk behind it, in the same buffer as before where that is large enough. */
  #append(chunk: Buffer): void {
    const { ahead } = this;
    if (this.#start > 0) this.#last = Buffer.from(this.last ?? []);
    const bytes = ahead.length + chunk.length;
    const buffer = bytes <= this.#buffer.length ? this.#buffer : Buffer.allocUnsafe(bytes * 2);
    buffer.set(ahead, 0);
    buffer.set(chunk, ahead.length);
    this.#buffer = buffer;
    this.#bytes = buffer.subarray(0, bytes);
    this.#start = 0;
  }
}
