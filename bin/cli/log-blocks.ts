import { type DestinationStream, destination, levels } from 'pino';

/** Written when so much waits. Larger: kill -9 loses more lines. Smaller: more writes, each of which costs some microseconds. */
const BLOCK_BYTES = 4096;
/** How long a line of a quiet log waits at most. */
const WAIT_MS = 200;

const METADATA: unique symbol = Symbol.for('pino.metadata');

const WARNING = levels.values['warn'] ?? 0;

/**
 * Where a log of many lines goes. They are written in blocks and off the event loop: when a block is full, or after a moment; a
 * warning or worse at once, with all lines before it; and the rest when the process ends, by itself, by `process.exit` or by an
 * error that nobody caught. Only what ends it at once, such as kill -9, loses lines: those of the last moment.
 */
export class LogBlocks implements DestinationStream {
  /** Makes pino set {@link LogBlocks.lastLevel} before each line. */
  readonly [METADATA] = true;
  lastLevel = 0;
  readonly #blocks: ReturnType<typeof destination>;
  #timer: NodeJS.Timeout | undefined;
  #isFlushing = false;

  constructor(descriptor: number) {
    this.#blocks = destination({ dest: descriptor, sync: false, minLength: BLOCK_BYTES });
    this.#blocks.on('drain', () => {
      // What came while a block was being written: that keeps a flush from doing anything.
      if (this.#isFlushing) this.#blocks.flush();
      this.#isFlushing = false;
    });
  }

  write(line: string): void {
    this.#blocks.write(line);
    if (this.lastLevel >= WARNING) this.#flush();
    else this.#timer ??= setTimeout(() => this.#flush(), WAIT_MS).unref();
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#isFlushing = true;
    this.#blocks.flush();
  }
}
