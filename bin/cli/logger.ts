import { type DestinationStream, destination, type Logger, levels, pino } from 'pino';
import { Counter } from 'prom-client';
import { API_KEYS } from '../../api/accounts/organizations/token-form.ts';
import { withoutKeys } from '../../api/server/urls.ts';
import { urlFromAddress } from '../../runtime/shown-address.ts';
import type { Config } from '../config/config.ts';
import { terminalText } from './terminal-text.ts';

export interface ServiceLog {
  readonly log: Logger;
  readonly linesDropped: Counter;
}

/**
 * Opens the log of a running service: JSON Lines on stderr. Writes each line at once, so that a kill loses none; with
 * `isBusy`, in blocks ({@link LogWriter}).
 */
export function openLog(config: Config, { isBusy = false } = {}): ServiceLog {
  const linesDropped = new Counter({
    name: 'modelstats_log_lines_dropped_total',
    help: 'Log lines dropped because they could not be written',
    registers: [],
  });
  const writer = new LogWriter(process.stderr.fd, {
    isBusy,
    onDrop: () => linesDropped.inc(),
    onRecovered: (lines) => log.warn({ lines }, 'log lines were dropped because they could not be written'),
  });
  const log = pino(
    {
      level: config.process.logLevel,
      timestamp: createTimestamp(),
      formatters: { level: levelName },
      hooks: { streamWrite: lineRedactor(unloggedOf(config)) },
    },
    writer,
  );
  return { log, linesDropped };
}

/** Lines of one millisecond share the text. */
function createTimestamp(): () => string {
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

export interface Unlogged {
  /** They may hold passwords. */
  readonly addresses: readonly (string | undefined)[];
  readonly secrets: readonly (string | undefined)[];
}

export function unloggedOf({ database, burst, mail, files, metrics }: Config): Unlogged {
  return { addresses: [database.url, burst.redis, mail.smtp], secrets: [files.signingKey, metrics.token] };
}

/** As in headers; the first pattern is a fast check. */
const CREDENTIALS = /[Bb]earer |[Bb]asic /;
const CREDENTIALS_ALL = /\b([Bb]earer|[Bb]asic) +[\w.~+/=%-]{6,}/g;

/** Shorter ones occur in ordinary words. */
const SECRET_LENGTH_MIN = 6;

/**
 * Returns a function that removes API keys, tokens and configured secrets from a line, which others' error messages may
 * contain, and makes it safe for terminals.
 */
export function lineRedactor({ addresses, secrets: known }: Unlogged): (line: string) => string {
  const passwords = addresses.flatMap((address) => passwordsOf(address ?? ''));
  const given = [...passwords, ...known.map((secret) => secret ?? '')];
  const long = given.filter((secret) => secret.length >= SECRET_LENGTH_MIN);
  // Plain, and as in JSON.
  const secrets = new Set(long.flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)]));
  return (line) => {
    let shown = line;
    for (const secret of secrets) if (shown.includes(secret)) shown = shown.replaceAll(secret, '…');
    const redacted = CREDENTIALS.test(shown) ? shown.replaceAll(CREDENTIALS_ALL, '$1 …') : shown;
    return terminalText(withoutKeys(redacted, API_KEYS.prefix));
  };
}

/** As written in the address, and decoded. */
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

/** Larger: kill -9 loses more lines. Smaller: more writes, of some microseconds each. */
const BLOCK_BYTES = 4096;
/** The longest delay of a line, and before the next attempt after a failed write. */
const WAIT_MS = 200;
/** Buffered while nothing can be written. Larger: more memory. Smaller: a reader that is briefly slow loses lines. */
const BUFFERED_BYTES_MAX = 1024 * 1024;
/** Attempts at exit with a slow reader, 100 ms apart. */
const EXIT_ATTEMPTS = 10;

const METADATA: unique symbol = Symbol.for('pino.metadata');

const WARNING = levels.values['warn'] ?? 0;

interface LogWriterOptions {
  /** Write in blocks, when one is full or after a moment; a warning or worse at once, with all lines before it. */
  readonly isBusy: boolean;
  readonly onDrop: () => void;
  /** Called after recovery, if `lines` were dropped. */
  readonly onRecovered: (lines: number) => void;
}

/**
 * The destination of a log. Never throws, and never waits for disk or reader (decision 0094). Failed lines are buffered
 * and retried; lines beyond the buffer are dropped, and all lines once the reader is gone. The buffer is written at
 * exit; only a kill -9 loses it.
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
  #attemptsLeft = 0;

  constructor(descriptor: number, options: LogWriterOptions) {
    this.#options = options;
    this.#output = destination({
      dest: descriptor,
      sync: true,
      minLength: options.isBusy ? BLOCK_BYTES : 1,
      maxLength: BUFFERED_BYTES_MAX,
      retryEAGAIN: () => this.#attemptsLeft-- > 0,
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

  /** Twice: the first leaves lines after a failed block. */
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
    if (lines === 0 || this.#isFailing) return; // Lines written before the failure end with `drain` too.
    this.#unreported = 0;
    this.#options.onRecovered(lines);
  }

  #end(): void {
    this.#attemptsLeft = EXIT_ATTEMPTS;
    this.#flush();
    this.#reportDropped();
    this.#flush();
  }
}
