/**
 * gzip JSON Lines. The same lines give the same bytes with the same zlib: fixed level, no time stamp, members of a
 * fixed number of uncompressed bytes. Several members are one gzip file by RFC 1952, and compress on all cores.
 */
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { createGunzip, gzip } from 'node:zlib';
import { bufferBytes } from './hash.ts';

const compress = promisify(gzip);

/** Uncompressed. Smaller compresses less; larger costs memory and parallelism. */
const MEMBER_BYTES = 8 * 1024 * 1024;
/** A third of level 9's time for a few per cent more bytes. */
const LEVEL = 6;
/** Each with its input and output in memory. */
const MEMBERS_IN_FLIGHT_MAX = 3;

/** Doesn't change the bytes. zlib's default of 16 kB calls the main thread too often. */
const OUTPUT_BYTES = 1024 * 1024;

export interface GzipResult {
  readonly bytes: number;
  readonly sha256: string;
  readonly content_bytes: number;
  readonly content_sha256: string;
}

/** Compresses a file and hashes both sides, in bounded memory. */
export async function gzipLines(linesPath: string, gzipPath: string): Promise<GzipResult> {
  const [input, output] = [await open(linesPath, 'r'), await open(gzipPath, 'wx')];
  try {
    const content = createHash('sha256');
    const file = createHash('sha256');
    const { size } = await input.stat();
    let [contentBytes, bytes] = [0, 0];
    const pending: Promise<Buffer>[] = [];
    /** Used in rotation: a member is written before its buffer is reused. */
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

async function readFully(file: Awaited<ReturnType<typeof open>>, buffer: Buffer): Promise<Buffer> {
  let length = 0;
  while (length < buffer.length) {
    const { bytesRead } = await file.read(buffer, length, buffer.length - length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return buffer.subarray(0, length);
}

export async function unpackLines(gzipPath: string, to: string): Promise<void> {
  await pipeline(createReadStream(gzipPath), createGunzip(), createWriteStream(to));
}

const NEWLINE = 0x0a;

/**
 * Reads a stream line by line without copying each line: `line` gives what is buffered, `readLine` reads more. A last
 * line may lack its newline.
 */
export class LineReader {
  readonly #chunks: AsyncIterator<Buffer>;
  #buffer: Buffer = Buffer.alloc(0);
  /** The filled part of `#buffer`. */
  #bytes: Buffer = this.#buffer;
  /** Start of the current line in `#bytes`. */
  #start = 0;
  #last: Buffer | undefined;
  #isAtEnd = false;

  constructor(chunks: AsyncIterable<Buffer>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** All buffered bytes from the current line on; may end within a line. */
  get ahead(): Buffer {
    return this.#bytes.subarray(this.#start);
  }

  /** The current line without newline, if buffered; undefined: read more, or the end. */
  get line(): Buffer | undefined {
    const end = this.#bytes.indexOf(NEWLINE, this.#start);
    if (end >= 0) return this.#bytes.subarray(this.#start, end);
    return this.#isAtEnd && this.#start < this.#bytes.length ? this.ahead : undefined;
  }

  /** The previous line. */
  get last(): Buffer | undefined {
    if (this.#start === 0) return this.#last;
    const end = this.#start - 1;
    return this.#bytes.subarray(end === 0 ? 0 : this.#bytes.lastIndexOf(NEWLINE, end - 1) + 1, end);
  }

  /** Skips whole lines: `bytes` of `ahead`, newlines included. */
  skip(bytes: number): void {
    this.#start = Math.min(this.#start + bytes, this.#bytes.length);
  }

  /** The current line; undefined at the end. Invalidates earlier results of `line` and `ahead`. */
  async readLine(): Promise<Buffer | undefined> {
    for (;;) {
      const { line } = this;
      if (line !== undefined || this.#isAtEnd) return line;
      const { value, done } = await this.#chunks.next();
      if (done === true) this.#isAtEnd = true;
      else this.#append(value);
    }
  }

  /** Reuses the buffer if it is large enough. */
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

/** In bytes, without its end: DuckDB needs the longest that it reads. */
export async function longestLine(path: string): Promise<number> {
  let [longest, current] = [0, 0];
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
      longest = Math.max(longest, current + end - from);
      [current, from] = [0, end + 1];
    }
    current += chunk.length - from;
  }
  return Math.max(longest, current);
}
