import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { type NightAnswer, NightAnswerSchema, type NightEnd } from '../../../pipeline/schedule/run-day.ts';
import type { Day } from '../../../runtime/day.ts';
import { ERROR_CODES, messageFromError } from '../../../runtime/errors.ts';

export interface NightProcessOptions {
  /** The program and its first words, such as node and this tool. */
  readonly command: readonly [string, ...string[]];
  readonly source: string;
  /** A night that takes longer is killed, in milliseconds. */
  readonly timeoutMs: number;
  /** The answer as it was printed. */
  readonly onAnswer: (line: string) => void;
}

const ANSWER_CODES: readonly (number | null)[] = [0, ERROR_CODES.held.exit, ERROR_CODES.source_rejected.exit];

/** How much of a night's output is kept, in characters: of stdout the whole answer, of stderr the end. */
const STDOUT_MAX = 16 * 1024 * 1024;
const STDERR_MAX = 4096;

/**
 * Runs one night in a process of its own, `modelstats nightly` (decision 0008): it can be ended at any instant, which a query
 * in this process could not, its memory is given back, and a crash is a failed attempt while the scheduler goes on. It has its
 * own process group, so that Ctrl-C at a terminal reaches the scheduler only, which lets the night finish.
 */
export function runNightProcess(day: Day, abandon: AbortSignal, options: NightProcessOptions): Promise<NightEnd> {
  const [program, ...words] = options.command;
  const limit = AbortSignal.timeout(options.timeoutMs);
  const child = spawn(program, [...words, 'nightly', '--json', '--source', options.source, '--day', day], {
    stdio: ['ignore', 'pipe', 'pipe'],
    // The scheduler tells of the night, and of its end by a kill, too: an empty setting counts as not set.
    env: { ...process.env, MODELSTATS_NOTIFY: '' },
    detached: true,
    signal: AbortSignal.any([abandon, limit]),
    killSignal: 'SIGKILL',
  });
  const stdout = collect(child.stdout, STDOUT_MAX);
  const stderr = collect(child.stderr, STDERR_MAX);
  return new Promise((resolve) => {
    child.on('error', (error) => {
      // Killed, or never started. Not waiting for its end: on a disk that hangs, that can take long.
      release(child);
      if (abandon.aborted) resolve(failed('abandoned: the scheduler was stopped'));
      else if (limit.aborted) resolve(failed(`killed: it took longer than ${options.timeoutMs / 1000} s`));
      else resolve(failed(`${program} can't be started: ${messageFromError(error)}`));
    });
    child.on('close', (code, signal) => {
      const answer = ANSWER_CODES.includes(code) ? findAnswer(stdout()) : undefined;
      if (answer !== undefined) options.onAnswer(stdout().trim());
      const complaint = stderr().trim() || `the night ended with ${signal ?? `exit code ${code}`} and no answer`;
      resolve(answer ?? failed(complaint));
    });
  });
}

/** Collects a stream's text, of a longer one the end. */
export function collect(stream: Readable, lengthMax: number): () => string {
  let text = '';
  stream.setEncoding('utf8').on('data', (chunk: string) => {
    text = (text + chunk).slice(-lengthMax);
  });
  return () => text;
}

function findAnswer(text: string): NightAnswer | undefined {
  try {
    return NightAnswerSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** Lets this process end before the child has. */
export function release(child: ChildProcess): void {
  child.stdout?.destroy();
  child.stderr?.destroy();
  child.unref();
}

function failed(problem: string): NightEnd {
  return { status: 'failed', problems: [problem] };
}
