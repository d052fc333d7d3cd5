import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { messageFromError } from '../../runtime/errors.ts';
import { retry } from '../../runtime/retry.ts';
import { headlineOf, type Notice } from './notice.ts';

export interface SendDeps extends Pick<ProgramOptions, 'environment'> {
  /** Ends the mail when its signal aborts. */
  readonly sendMail: (mail: NoticeMail) => Promise<void>;
  /** Resolves early when the signal aborts. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly userAgent: string;
  /** {@link TRY_TIMEOUT_MS} by default. */
  readonly timeoutMs?: number;
  /** Ends the current attempt and all further ones. */
  readonly stop?: AbortSignal;
}

export interface NoticeMail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly signal: AbortSignal;
}

/** `problem` contains no secret of the target. */
export interface Sent {
  readonly tries: number;
  readonly problem: string | undefined;
}

/** Smaller: a busy chat fails. Larger: `nightly` takes longer to end. */
const TRY_TIMEOUT_MS = 10_000;
/** Between attempts. A failed notice is sent again with the night's next attempt. */
const WAITS_MS: readonly number[] = [1_000, 5_000];
/** Targets are served in parallel. */
export const SENDING_MS_MAX = (WAITS_MS.length + 1) * TRY_TIMEOUT_MS + WAITS_MS.reduce((sum, ms) => sum + ms, 0);

/** A refusal that retries won't change. */
class Refusal extends Error {}

/** Up to three bounded attempts. Never rejects. */
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

/** The operator's own URL: any network and plain HTTP are allowed; redirects, which change a POST, are not followed. */
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
    if (signal.aborted) throw new Error(`${url.host} did not respond within ${timeoutMs / 1000} s`);
    throw new Error(`${url.host} can't be reached: ${reasonOf(error)}`);
  });
  await response.body?.cancel().catch(() => undefined); // Only the status counts.
  if (response.ok) return;
  const problem = `${url.host} responded with ${response.status}`;
  if (response.status < 500 && response.status !== 408 && response.status !== 429) throw new Refusal(problem);
  throw new Error(problem);
}

/** The cause of "fetch failed". */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  if (!(cause instanceof Error)) return messageFromError(error);
  return 'code' in cause && cause.message === '' ? String(cause.code) : cause.message;
}

export type NoticeTarget =
  | { readonly kind: 'url'; readonly url: string }
  | { readonly kind: 'mail'; readonly to: string }
  | { readonly kind: 'exec'; readonly program: string; readonly args: readonly string[] };

/** More indicate a mistake, such as the wrong variable. */
export const TARGETS_MAX = 10;

/** One @, no white space, nothing that begins another recipient or header. */
const MAIL = /^[^\s@,;:<>()"'\\]+@[^\s@,;:<>()"'\\]+$/;

export const TARGET_FORMS = 'https://…, http://…, mailto:name@host, or exec:/path/of/a/program with its arguments';

export function parseTarget(text: string): NoticeTarget | undefined {
  const trimmed = text.trim();
  if (/^https?:\/\//i.test(trimmed)) return URL.canParse(trimmed) ? { kind: 'url', url: trimmed } : undefined;
  if (trimmed.startsWith('exec:')) {
    const [program = '', ...args] = trimmed.slice('exec:'.length).trim().split(/\s+/);
    // Must not depend on the service's PATH.
    return program.startsWith('/') ? { kind: 'exec', program, args } : undefined;
  }
  const to = trimmed.replace(/^mailto:/i, '');
  return MAIL.test(to) ? { kind: 'mail', to } : undefined;
}

/** Only a URL's host: its path and query may be secret. */
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

/** Identifies a target without revealing it. */
export function targetKey(target: NoticeTarget): string {
  return createHash('sha256').update(JSON.stringify(target)).digest('hex').slice(0, 16);
}

interface ProgramOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** A slower program is killed with its children. */
  readonly timeoutMs: number;
  /** Kills them at once. */
  readonly stop: AbortSignal;
}

/** Characters of a program's error output; the last are kept. */
const STDERR_MAX = 500;

/**
 * Without a shell: the notice as JSON on standard input, the essentials as `NOTICE_…` in the environment. Rejects where
 * the program can't be started, takes too long, or exits with a code other than 0.
 */
function runProgram(
  { program, args }: { readonly program: string; readonly args: readonly string[] },
  notice: Notice,
  { environment, timeoutMs, stop }: ProgramOptions,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      stdio: ['pipe', 'ignore', 'pipe'],
      detached: true, // Its own process group, to kill as a whole.
      env: { ...environment, ...variablesOf(notice) },
    });
    let complaint = '';
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      complaint = (complaint + chunk).slice(-STDERR_MAX);
    });
    const end = () => {
      stop.removeEventListener('abort', kill);
      clearTimeout(timer);
      // Children holding its output open would keep this process alive.
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
      const output = complaint.trim() === '' ? '' : `: ${complaint.trim()}`;
      reject(new Error(`${program} ended with ${signal ?? `exit code ${code}`}${output}`));
    });
    child.stdin.on('error', () => {}); // A program need not read it.
    child.stdin.end(`${JSON.stringify(notice)}\n`);
  });
}

/** Not `MODELSTATS_…`: `modelstats` refuses unknown settings, and the program may call it. */
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
    // Already ended.
  }
}
