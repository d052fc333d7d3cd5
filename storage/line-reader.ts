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
