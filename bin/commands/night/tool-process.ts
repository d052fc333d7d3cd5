import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import type { z } from 'zod';

export interface ToolProcessOptions<T> {
  /** The program and its first words, such as node and this tool. */
  readonly command: readonly [string, ...string[]];
  /** What it is called with behind those. */
  readonly words: readonly string[];
  readonly environment?: NodeJS.ProcessEnv;
  /** Kills it at once. */
  readonly signal: AbortSignal;
  readonly answer: z.ZodType<T>;
  /** The exit codes with which it answers. */
  readonly answerCodes: readonly (number | null)[];
}

/** How such a process ended: with its answer, as it was printed, or without one and what it complained of; or it was killed, or never started. */
export type ToolProcessEnd<T> =
  | { readonly type: 'answered'; readonly answer: T; readonly line: string }
  | { readonly type: 'ended'; readonly complaint: string; readonly how: string }
  | { readonly type: 'failed'; readonly error: unknown };

/** How much of its output is kept, in characters: of stdout the whole answer, of stderr the end. */
const STDOUT_MAX = 16 * 1024 * 1024;
const STDERR_MAX = 4096;

/**
 * Runs a command of this tool in a process of its own (decision 0008) and reads its JSON: it can be ended at any instant, which a query or a
 * read that hangs in this process could not. It has its own process group, so that Ctrl-C at a terminal reaches this process only.
 */
export function runToolProcess<T>(options: ToolProcessOptions<T>): Promise<ToolProcessEnd<T>> {
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
      const answer = options.answerCodes.includes(code) ? parseOr(options.answer, stdout()) : undefined;
      if (answer !== undefined) return resolve({ type: 'answered', answer, line: stdout().trim() });
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
