import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { z } from 'zod';
import { type NightEnd, NightResponseSchema } from '../../../pipeline/schedule/run-day.ts';
import type { Day } from '../../../runtime/day.ts';
import { ERROR_CODES, messageFromError } from '../../../runtime/errors.ts';
import { ReleaseSchema } from '../../../schemas/release.ts';
import type { ReleaseFacts } from '../../../storage/release-metrics.ts';

interface ToolProcessOptions<T> {
  /** The program and its first words, such as node and this tool. */
  readonly command: readonly [string, ...string[]];
  /** What it is called with behind those. */
  readonly words: readonly string[];
  readonly environment?: NodeJS.ProcessEnv;
  /** Kills it at once. */
  readonly signal: AbortSignal;
  readonly response: z.ZodType<T>;
  /** The exit codes with which it answers. */
  readonly responseCodes: readonly (number | null)[];
}

/** How such a process ended: with its answer, as it was printed, or without one and what it complained of; or it was killed, or never started. */
type ToolProcessEnd<T> =
  | { readonly type: 'answered'; readonly response: T; readonly line: string }
  | { readonly type: 'ended'; readonly complaint: string; readonly how: string }
  | { readonly type: 'failed'; readonly error: unknown };

/** How much of its output is kept, in characters: of stdout the whole answer, of stderr the end. */
const STDOUT_MAX = 16 * 1024 * 1024;
const STDERR_MAX = 4096;

/**
 * Runs a command of this tool in a process of its own (decision 0008) and reads its JSON: it can be ended at any instant, which a query or a
 * read that hangs in this process could not. It has its own process group, so that Ctrl-C at a terminal reaches this process only.
 */
function runToolProcess<T>(options: ToolProcessOptions<T>): Promise<ToolProcessEnd<T>> {
  const [program, ...first] = options.command;
  const child = spawn(program, [...first, ...options.words], {
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(options.environment && { env: options.environment }),
    detached: true,
    signal: options.signal,
    killSignal: 'SIGKILL',
  });
  const [stdout, stderr] = [collect(child.stdout, STDOUT_MAX), collect(child.stderr, STDERR_MAX)];
  return new Promise((resolve) => {
    child.on('error', (error) => {
      // Killed, or never started. Not waiting for its end: on a disk that hangs, that can take long.
      release(child);
      resolve({ type: 'failed', error });
    });
    child.on('close', (code, signal) => {
      const response = options.responseCodes.includes(code) ? parseOr(options.response, stdout()) : undefined;
      if (response !== undefined) return resolve({ type: 'answered', response, line: stdout().trim() });
      resolve({ type: 'ended', complaint: stderr().trim(), how: signal ?? `exit code ${code}` });
    });
  });
}

/** Collects a stream's text, of a longer one the end. */
function collect(stream: Readable, lengthMax: number): () => string {
  let text = '';
  stream.setEncoding('utf8').on('data', (chunk: string) => {
    text = (text + chunk).slice(-lengthMax);
  });
  return () => text;
}

/** Undefined for what is no such JSON. */
function parseOr<T>(schema: z.ZodType<T>, text: string): T | undefined {
  try {
    return schema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** Lets this process end before the child has. */
function release(child: ChildProcess): void {
  child.stdout?.destroy();
  child.stderr?.destroy();
  child.unref();
}

export interface NightProcessOptions extends Pick<ToolProcessOptions<unknown>, 'command'> {
  readonly source: string;
  /** A night that takes longer is killed, in milliseconds. */
  readonly timeoutMs: number;
  /** The answer as it was printed. */
  readonly onResponse: (line: string) => void;
}

/**
 * Runs one night in a process of its own, `modelstats nightly`: its memory is given back, a crash is a failed attempt while the scheduler
 * goes on, and a stop lets the night finish.
 */
export async function runNightProcess(day: Day, abandon: AbortSignal, options: NightProcessOptions): Promise<NightEnd> {
  const { command, source, timeoutMs, onResponse } = options;
  const limit = AbortSignal.timeout(timeoutMs);
  const end = await runToolProcess({
    command,
    words: ['nightly', '--json', '--source', source, '--day', day],
    // The scheduler tells of the night, and of its end by a kill, too: an empty setting counts as not set.
    environment: { ...process.env, MODELSTATS_NOTIFY: '' },
    signal: AbortSignal.any([abandon, limit]),
    response: NightResponseSchema,
    responseCodes: [0, ERROR_CODES.held.exit, ERROR_CODES.source_rejected.exit],
  });
  switch (end.type) {
    case 'answered':
      onResponse(end.line);
      return end.response;
    case 'ended':
      return failed(end.complaint || `the night ended with ${end.how} and no answer`);
    case 'failed':
      if (abandon.aborted) return failed('abandoned: the scheduler was stopped');
      if (limit.aborted) return failed(`killed: it took longer than ${timeoutMs / 1000} s`);
      return failed(`${command[0]} can't be started: ${messageFromError(end.error)}`);
  }
}

function failed(problem: string): NightEnd {
  return { status: 'failed', problems: [problem] };
}

interface NewestProcessOptions extends Pick<ToolProcessOptions<unknown>, 'command'> {
  /** A look that takes longer is killed, in milliseconds. */
  readonly timeoutMs: number;
}

/** Of what a process complains, in characters: its end. */
const COMPLAINT_MAX = 500;

const facts = { day: true, published_at: true, quarantined: true, suspects_pending: true, fetched: true } as const;
const ResponseSchema = z.looseObject({ newest: z.object(ReleaseSchema.shape).pick(facts).nullable() });

/**
 * Reads what the newest release tells by `modelstats status --json`, in a process of its own: a read that hangs on a dead disk would keep this
 * one from ending, as it would with a night. Undefined where there is none; rejects where it can't be found out.
 */
export async function readNewestByProcess(
  stop: AbortSignal,
  { command, timeoutMs }: NewestProcessOptions,
): Promise<ReleaseFacts | undefined> {
  const end = await runToolProcess({
    command,
    words: ['status', '--json'],
    signal: AbortSignal.any([stop, AbortSignal.timeout(timeoutMs)]),
    response: ResponseSchema,
    responseCodes: [0],
  });
  switch (end.type) {
    case 'answered':
      return end.response.newest ?? undefined;
    case 'ended':
      throw new Error(end.complaint.slice(-COMPLAINT_MAX) || `status ended with ${end.how} and no answer`);
    case 'failed': {
      const message = `the store was not read within ${timeoutMs / 1000} s: ${messageFromError(end.error)}`;
      throw new Error(message, { cause: end.error });
    }
  }
}
