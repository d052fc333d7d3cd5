import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { z } from 'zod';
import { type NightEnd, NightResponseSchema } from '../../../pipeline/schedule/run-day.ts';
import type { Day } from '../../../runtime/day.ts';
import { ERROR_CODES, messageFromError } from '../../../runtime/errors.ts';
import { ReleaseSchema } from '../../../schemas/release.ts';
import type { ReleaseFacts } from '../../../storage/release-metrics.ts';

interface ToolProcessOptions<T> {
  readonly command: readonly [string, ...string[]];
  readonly args: readonly string[];
  readonly environment?: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
  readonly response: z.ZodType<T>;
  /** Exit codes with a result. */
  readonly responseCodes: readonly (number | null)[];
}

/** With a result, with an error output, or killed or never started. */
type ToolProcessEnd<T> =
  | { readonly type: 'completed'; readonly response: T; readonly line: string }
  | { readonly type: 'ended'; readonly errorOutput: string; readonly how: string }
  | { readonly type: 'failed'; readonly error: unknown };

/** In characters: the whole of stdout, the end of stderr. */
const STDOUT_MAX = 16 * 1024 * 1024;
const STDERR_MAX = 4096;

/**
 * Runs a command in its own process (decision 0008) and parses its JSON. Unlike a query or read in this process, it can
 * be killed at any time. Its own process group keeps Ctrl-C from it.
 */
function runToolProcess<T>(options: ToolProcessOptions<T>): Promise<ToolProcessEnd<T>> {
  const [program, ...first] = options.command;
  const child = spawn(program, [...first, ...options.args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(options.environment && { env: options.environment }),
    detached: true,
    signal: options.signal,
    killSignal: 'SIGKILL',
  });
  const [stdout, stderr] = [collect(child.stdout, STDOUT_MAX), collect(child.stderr, STDERR_MAX)];
  return new Promise((resolve) => {
    child.on('error', (error) => {
      // Killed, or never started. Doesn't wait for its end, which can take long on a hanging disk.
      release(child);
      resolve({ type: 'failed', error });
    });
    child.on('close', (code, signal) => {
      const response = options.responseCodes.includes(code) ? parseOr(options.response, stdout()) : undefined;
      if (response !== undefined) return resolve({ type: 'completed', response, line: stdout().trim() });
      resolve({ type: 'ended', errorOutput: stderr().trim(), how: signal ?? `exit code ${code}` });
    });
  });
}

/** The end of a stream's text. */
function collect(stream: Readable, lengthMax: number): () => string {
  let text = '';
  stream.setEncoding('utf8').on('data', (chunk: string) => {
    text = (text + chunk).slice(-lengthMax);
  });
  return () => text;
}

function parseOr<T>(schema: z.ZodType<T>, text: string): T | undefined {
  try {
    return schema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** Lets this process exit before the child. */
function release(child: ChildProcess): void {
  child.stdout?.destroy();
  child.stderr?.destroy();
  child.unref();
}

export interface NightProcessOptions extends Pick<ToolProcessOptions<unknown>, 'command'> {
  readonly source: string;
  /** A longer night is killed. */
  readonly timeoutMs: number;
  readonly onResponse: (line: string) => void;
}

/** Runs a night in its own process: its memory is freed, a crash is a failed attempt, and a stop lets it finish. */
export async function runNightProcess(day: Day, abandon: AbortSignal, options: NightProcessOptions): Promise<NightEnd> {
  const { command, source, timeoutMs, onResponse } = options;
  const limit = AbortSignal.timeout(timeoutMs);
  const end = await runToolProcess({
    command,
    args: ['nightly', '--json', '--source', source, '--day', day],
    // The scheduler sends the notices; an empty setting counts as not set.
    environment: { ...process.env, MODELSTATS_NOTIFY: '' },
    signal: AbortSignal.any([abandon, limit]),
    response: NightResponseSchema,
    responseCodes: [0, ERROR_CODES.held.exit, ERROR_CODES.source_rejected.exit],
  });
  switch (end.type) {
    case 'completed':
      onResponse(end.line);
      return end.response;
    case 'ended':
      return failed(end.errorOutput || `the night ended with ${end.how} and without a result`);
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
  /** A longer read is killed. */
  readonly timeoutMs: number;
}

const ERROR_OUTPUT_MAX = 500;

const facts = { day: true, published_at: true, quarantined: true, suspects_pending: true, fetched: true } as const;
const ResponseSchema = z.looseObject({ newest: z.object(ReleaseSchema.shape).pick(facts).nullable() });

/**
 * Reads the newest release by `modelstats status --json` in its own process, so that a hanging disk can't block this
 * one. Undefined if there is none; rejects if it can't be read.
 */
export async function readNewestByProcess(
  stop: AbortSignal,
  { command, timeoutMs }: NewestProcessOptions,
): Promise<ReleaseFacts | undefined> {
  const end = await runToolProcess({
    command,
    args: ['status', '--json'],
    signal: AbortSignal.any([stop, AbortSignal.timeout(timeoutMs)]),
    response: ResponseSchema,
    responseCodes: [0],
  });
  switch (end.type) {
    case 'completed':
      return end.response.newest ?? undefined;
    case 'ended':
      throw new Error(end.errorOutput.slice(-ERROR_OUTPUT_MAX) || `status ended with ${end.how} and without a result`);
    case 'failed': {
      const message = `the store was not read within ${timeoutMs / 1000} s: ${messageFromError(end.error)}`;
      throw new Error(message, { cause: end.error });
    }
  }
}
