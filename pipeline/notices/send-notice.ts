import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { messageFromError } from '../../runtime/errors.ts';
import { retry } from '../../runtime/retry.ts';
import { headlineOf, type Notice } from './notice.ts';

export interface SendDeps extends Pick<ProgramOptions, 'environment'> {
  /** Sends a mail, or rejects; ends it when its signal aborts. */
  readonly sendMail: (mail: NoticeMail) => Promise<void>;
  /** Ends early, and resolves, when the signal aborts. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly userAgent: string;
  /** For one try at one target, in milliseconds; {@link TRY_TIMEOUT_MS} unless given. */
  readonly timeoutMs?: number;
  /** Ends the try that is under way, and all further ones; default: nothing does. */
  readonly stop?: AbortSignal;
}

export interface NoticeMail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly signal: AbortSignal;
}

/** How it went with one target: `problem` names no secret of its address. */
export interface Sent {
  readonly tries: number;
  readonly problem: string | undefined;
}

/** Smaller: a chat that is busy is given up. Larger: a `nightly` takes that much longer to end. */
const TRY_TIMEOUT_MS = 10_000;
/** Between the tries, in milliseconds. More are not needed: what was not taken is sent again with the night's next attempt. */
const WAITS_MS: readonly number[] = [1_000, 5_000];
/** All tries at a target, and the waits between them; targets are sent to side by side. */
export const SENDING_MS_MAX = (WAITS_MS.length + 1) * TRY_TIMEOUT_MS + WAITS_MS.reduce((sum, ms) => sum + ms, 0);

/** A refusal that another try won't change. */
class Refusal extends Error {}

/** Sends a notice to a target: tried up to three times, each bounded. Never rejects. */
export async function sendNotice(target: NoticeTarget, notice: Notice, deps: SendDeps): Promise<Sent> {
  const stop = deps.stop ?? new AbortController().signal;
  let tries = 0;
  const send = (attempt: number) => {
    tries = attempt;
    return sendOnce(target, notice, { ...deps, stop });
  };
  const problem = await retry(send, {
    delayAfter: (error, attempt) => (error instanceof Refusal ? undefined : WAITS_MS[attempt - 1]),
    sleep: async (ms) => {
      await deps.sleep(ms, stop);
      stop.throwIfAborted();
    },
  }).then(() => undefined, messageFromError);
  return { tries, problem };
}

function sendOnce(
  target: NoticeTarget,
  notice: Notice,
  deps: SendDeps & { readonly stop: AbortSignal },
): Promise<void> {
  const { userAgent, environment, stop, timeoutMs = TRY_TIMEOUT_MS } = deps;
  switch (target.kind) {
    case 'url':
      return post(new URL(target.url), notice, { userAgent, timeoutMs, stop });
    case 'mail':
      return deps.sendMail({
        to: target.to,
        subject: headlineOf(notice),
        text: `${notice.text}\n`,
        signal: AbortSignal.any([stop, AbortSignal.timeout(timeoutMs)]),
      });
    case 'exec':
      return runProgram(target, notice, { environment, timeoutMs, stop });
  }
}

/**
 * The address is the operator's own, so it may be of any network and needs no certificate; redirects are not followed, for a POST
 * would arrive as something else.
 */
async function post(
  url: URL,
  notice: Notice,
  {
    userAgent,
    timeoutMs,
    stop,
  }: { readonly userAgent: string; readonly timeoutMs: number; readonly stop: AbortSignal },
): Promise<void> {
  const credentials = [url.username, url.password].map(decodeURIComponent).join(':');
  const headers = {
    'content-type': 'application/json',
    'user-agent': userAgent,
    ...(credentials === ':' ? {} : { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` }),
  };
  const [to, signal] = [new URL(url), AbortSignal.any([stop, AbortSignal.timeout(timeoutMs)])];
  to.username = '';
  to.password = '';
  const request = { method: 'POST', headers, body: JSON.stringify(notice), redirect: 'manual', signal } as const;
  const response = await fetch(to, request).catch((error: unknown) => {
    if (signal.aborted) throw new Error(`${url.host} did not answer within ${timeoutMs / 1000} s`);
    throw new Error(`${url.host} can't be reached: ${reasonOf(error)}`);
  });
  await response.body?.cancel().catch(() => undefined); // Only the status counts.
  if (response.ok) return;
  const problem = `${url.host} answered ${response.status}`;
  if (response.status < 500 && response.status !== 408 && response.status !== 429) throw new Refusal(problem);
  throw new Error(problem);
}

/** What is behind "fetch failed". */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  if (!(cause instanceof Error)) return messageFromError(error);
  return 'code' in cause && cause.message === '' ? String(cause.code) : cause.message;
}

/** Where notices go. */
export type NoticeTarget =
  | { readonly kind: 'url'; readonly url: string }
  | { readonly kind: 'mail'; readonly to: string }
  | { readonly kind: 'exec'; readonly program: string; readonly args: readonly string[] };

/** More are a mistake, such as a text in the wrong variable. */
export const TARGETS_MAX = 10;

/** As careful as a mail server needs it: one @, no white space, nothing that begins another recipient or header. */
const MAIL = /^[^\s@,;:<>()"'\\]+@[^\s@,;:<>()"'\\]+$/;

export const TARGET_FORMS = 'https://…, http://…, mailto:name@host, or exec:/path/of/a/program with its arguments';

/** Reads one target; undefined where it is none of {@link TARGET_FORMS}. */
export function parseTarget(text: string): NoticeTarget | undefined {
  const words = text.trim();
  if (/^https?:\/\//i.test(words)) return URL.canParse(words) ? { kind: 'url', url: words } : undefined;
  if (words.startsWith('exec:')) {
    const [program = '', ...args] = words.slice('exec:'.length).trim().split(/\s+/);
    // By its whole path: which program runs must not depend on the PATH that a service happens to have.
    return program.startsWith('/') ? { kind: 'exec', program, args } : undefined;
  }
  const to = words.replace(/^mailto:/i, '');
  return MAIL.test(to) ? { kind: 'mail', to } : undefined;
}

/** A target as logs and answers may have it: of a URL its host alone, for its path and query often are the secret. */
export function shownTarget(target: NoticeTarget): string {
  switch (target.kind) {
    case 'url':
      return `${new URL(target.url).origin}/…`;
    case 'mail':
      return `mailto:${target.to}`;
    case 'exec':
      return `exec:${target.program}`;
  }
}

/** What a target is remembered by, from which nobody gets it back. */
export function targetKey(target: NoticeTarget): string {
  return createHash('sha256').update(JSON.stringify(target)).digest('hex').slice(0, 16);
}

interface ProgramOptions {
  /** The program's environment beside what tells the notice. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** A program that takes longer is killed with all that it started, in milliseconds. */
  readonly timeoutMs: number;
  /** Kills it like that at once. */
  readonly stop: AbortSignal;
}

/** How much of what a program complains is told, in characters: its end. */
const STDERR_MAX = 500;

/**
 * Runs an operator's program with a notice: as JSON on its standard input, the essentials as `NOTICE_…` in its environment. No shell
 * reads anything of it. Rejects where it can't be started, takes too long, or ends with another exit code than 0.
 */
function runProgram(
  { program, args }: { readonly program: string; readonly args: readonly string[] },
  notice: Notice,
  { environment, timeoutMs, stop }: ProgramOptions,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      stdio: ['pipe', 'ignore', 'pipe'],
      detached: true, // A group of its own, which can be killed as a whole.
      env: { ...environment, ...variablesOf(notice) },
    });
    let complaint = '';
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      complaint = (complaint + chunk).slice(-STDERR_MAX);
    });
    const end = () => {
      stop.removeEventListener('abort', kill);
      clearTimeout(timer);
      // What it has left running holds its output open, which would keep this process from ending.
      child.stderr.destroy();
    };
    const kill = () => {
      end();
      killGroup(child.pid);
      reject(new Error(`${program} took longer than ${timeoutMs / 1000} s and was killed`));
    };
    const timer = setTimeout(kill, timeoutMs);
    stop.addEventListener('abort', kill);
    child.on('error', (cause) => {
      end();
      reject(new Error(`${program} can't be started: ${messageFromError(cause)}`, { cause }));
    });
    child.on('exit', (code, signal) => {
      end();
      if (code === 0) return resolve();
      const said = complaint.trim() === '' ? '' : `: ${complaint.trim()}`;
      reject(new Error(`${program} ended with ${signal ?? `exit code ${code}`}${said}`));
    });
    child.stdin.on('error', () => {}); // A program need not read it.
    child.stdin.end(`${JSON.stringify(notice)}\n`);
  });
}

/** Not `MODELSTATS_…`: a program that calls `modelstats` would find them refused as settings that there aren't. */
function variablesOf(notice: Notice): Readonly<Record<string, string>> {
  return {
    NOTICE_KIND: notice.kind,
    NOTICE_DAY: notice.day,
    NOTICE_STORE: notice.store,
    NOTICE_TEXT: notice.text,
    NOTICE_NEXT_COMMAND: notice.next_command ?? '',
    NOTICE_NEXT_ATTEMPT_AT: notice.next_attempt_at ?? '',
    NOTICE_REPORT: notice.report ?? '',
  };
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has just ended.
  }
}
