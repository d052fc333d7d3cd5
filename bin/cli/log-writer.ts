import { type DestinationStream, destination, levels } from 'pino';

/** Written when so much waits. Larger: kill -9 loses more lines. Smaller: more writes, each of which costs some microseconds. */
const BLOCK_BYTES = 4096;
/** How long a line of a quiet log waits at most, and how long after a write that failed the next is tried. */
const WAIT_MS = 200;
/** What waits while nothing can be written. Larger: more memory. Smaller: a reader that is slow for a moment loses lines. */
const WAITING_BYTES_MAX = 1024 * 1024;
/** How often a reader that is slow is waited for at the end, each time for 100 ms. */
const LAST_TRIES = 10;

const METADATA: unique symbol = Symbol.for('pino.metadata');

const WARNING = levels.values['warn'] ?? 0;

export interface LogWriterOptions {
  /** Whether lines are written in blocks: when one is full, or after a moment; a warning or worse at once, with all before it. */
  readonly isBusy: boolean;
  /** Called for each line that is dropped. */
  readonly onDrop: () => void;
  /** Called when writing works again after `lines` were dropped. */
  readonly onRecovered: (lines: number) => void;
}

/**
 * Where a log goes. It never throws, and never waits for the disk or the reader (decision 0094): lines that can't be written wait and
 * are tried again; those that find no more room are dropped, and so are all once the reader has gone away. What waits is written when
 * the process ends, by itself, by `process.exit` or by an error that nobody caught; only what ends it at once, such as kill -9,
 * loses lines of the last moment.
 */
export class LogWriter implements DestinationStream {
  /** Makes pino set {@link LogWriter.lastLevel} before each line. */
  readonly [METADATA] = true;
  lastLevel = 0;
  readonly #options: LogWriterOptions;
  readonly #output: ReturnType<typeof destination>;
  #timer: NodeJS.Timeout | undefined;
  #isFailing = false;
  #hasReader = true;
  #unreported = 0;
  #triesLeft = 0;

  constructor(descriptor: number, options: LogWriterOptions) {
    this.#options = options;
    this.#output = destination({
      dest: descriptor,
      sync: true,
      minLength: options.isBusy ? BLOCK_BYTES : 1,
      maxLength: WAITING_BYTES_MAX,
      retryEAGAIN: () => this.#triesLeft-- > 0,
    });
    this.#output.on('drop', () => this.#drop());
    this.#output.on('error', ({ code }: NodeJS.ErrnoException) => this.#fail(code));
    this.#output.on('write', () => {
      this.#isFailing = false;
    });
    this.#output.on('drain', () => this.#reportDropped());
    process.once('exit', () => this.#end());
  }

  write(line: string): void {
    if (this.#hasReader) this.#output.write(line);
    else this.#drop();
    if (!this.#options.isBusy || !this.#hasReader) return;
    if (this.lastLevel >= WARNING) this.#flush();
    else this.#flushSoon();
  }

  #flushSoon(): void {
    this.#timer ??= setTimeout(() => this.#flush(), WAIT_MS).unref();
  }

  /** Twice, since the first leaves what came after a block that could not be written. */
  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (let round = 0; round < 2 && this.#hasReader; round += 1) this.#output.flush();
  }

  #drop(): void {
    this.#unreported += 1;
    this.#options.onDrop();
  }

  #fail(code: string | undefined): void {
    this.#isFailing = true;
    this.#hasReader = code !== 'EPIPE';
    if (this.#hasReader) this.#flushSoon();
  }

  #reportDropped(): void {
    const lines = this.#unreported;
    if (lines === 0 || this.#isFailing) return; // What was written before it failed ends with `drain`, too.
    this.#unreported = 0;
    this.#options.onRecovered(lines);
  }

  #end(): void {
    this.#triesLeft = LAST_TRIES;
    this.#flush();
    this.#reportDropped();
    this.#flush();
  }
}
