import { type DestinationStream, destination, type Logger, levels, pino } from 'pino';
import { Counter } from 'prom-client';
import { API_KEYS } from '../../api/accounts/organizations/token-form.ts';
import { withoutKeys } from '../../api/server/urls.ts';
import { urlFromAddress } from '../../runtime/shown-address.ts';
import type { Config } from '../config/config.ts';
import { terminalText } from './terminal-text.ts';

/** The log of a command that keeps running. */
export interface ServiceLog {
  readonly log: Logger;
  /** A metric, for the command's registry. */
  readonly linesDropped: Counter;
}

/**
 * Opens the log of a command that keeps running: JSON Lines on stderr. Each line is written at once, so that none is lost when the
 * process is killed; with `isBusy`, for a log of many lines, in blocks (see {@link LogWriter}).
 */
export function openLog(config: Config, { isBusy = false } = {}): ServiceLog {
  const linesDropped = new Counter({
    name: 'modelstats_log_lines_dropped_total',
    help: 'Lines of the log that were dropped since they could not be written',
    registers: [],
  });
  const writer = new LogWriter(process.stderr.fd, {
    isBusy,
    onDrop: () => linesDropped.inc(),
    onRecovered: (lines) => log.warn({ lines }, 'lines of the log were dropped since they could not be written'),
  });
  const log = pino(
    {
      level: config.process.logLevel,
      timestamp: timeTeller(),
      formatters: { level: levelName },
      hooks: { streamWrite: lineRedactor(unloggedOf(config)) },
    },
    writer,
  );
  return { log, linesDropped };
}

/** The time as each line has it; lines of one millisecond share the text. */
function timeTeller(): () => string {
  let last = { ms: Number.NaN, text: '' };
  return () => {
    const ms = Date.now();
    if (ms !== last.ms) last = { ms, text: `,"time":"${new Date(ms).toISOString()}"` };
    return last.text;
  };
}

function levelName(level: string) {
  return { level };
}

/** What a log has to keep to itself. */
export interface Unlogged {
  /** Addresses that may hold a password. */
  readonly addresses: readonly (string | undefined)[];
  readonly secrets: readonly (string | undefined)[];
}

export function unloggedOf({ database, burst, mail, files, metrics }: Config): Unlogged {
  return { addresses: [database.url, burst.redis, mail.smtp], secrets: [files.signingKey, metrics.token] };
}

/** As a header has them; the first finds out fast. */
const CREDENTIALS = /[Bb]earer |[Bb]asic /;
const CREDENTIALS_ALL = /\b([Bb]earer|[Bb]asic) +[\w.~+/=%-]{6,}/g;

/** Shorter ones would be found in innocent words. */
const SECRET_LENGTH_MIN = 6;

/**
 * Nothing should log an API key, a bearer token or a secret of the configuration; where something does all the same, such as the
 * message of an error, it is cut out here; and of what others sent nothing is left that a terminal would obey.
 */
export function lineRedactor({ addresses, secrets: known }: Unlogged): (line: string) => string {
  const passwords = addresses.flatMap((address) => passwordsOf(address ?? ''));
  const given = [...passwords, ...known.map((secret) => secret ?? '')];
  const long = given.filter((secret) => secret.length >= SECRET_LENGTH_MIN);
  // As it is, and as it stands in a line of JSON.
  const secrets = new Set(long.flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)]));
  return (line) => {
    let shown = line;
    for (const secret of secrets) if (shown.includes(secret)) shown = shown.replaceAll(secret, '…');
    const kept = CREDENTIALS.test(shown) ? shown.replaceAll(CREDENTIALS_ALL, '$1 …') : shown;
    return terminalText(withoutKeys(kept, API_KEYS.prefix));
  };
}

/** The password of an address, as it stands there and as it is meant. */
function passwordsOf(address: string): readonly string[] {
  const url = urlFromAddress(address);
  if (url === undefined) return [];
  const { password, searchParams } = url;
  return [password, decodedOr(password), searchParams.get('password') ?? ''];
}

function decodedOr(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

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

interface LogWriterOptions {
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
