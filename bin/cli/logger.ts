import { type Logger, pino } from 'pino';
import { Counter } from 'prom-client';
import { API_KEYS } from '../../api/accounts/credentials/token-form.ts';
import { withoutKeys } from '../../api/server/urls.ts';
import { urlFromAddress } from '../../runtime/shown-address.ts';
import type { Config } from '../config/config.ts';
import { LogWriter } from './log-writer.ts';
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
