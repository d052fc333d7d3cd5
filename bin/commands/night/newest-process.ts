import { spawn } from 'node:child_process';
import { z } from 'zod';
import { messageFromError } from '../../../runtime/errors.ts';
import { ReleaseSchema } from '../../../schemas/release.ts';
import type { ReleaseFacts } from '../../../storage/release-metrics.ts';
import { collect, release } from './night-process.ts';

export interface NewestProcessOptions {
  /** The program and its first words, such as node and this tool. */
  readonly command: readonly [string, ...string[]];
  /** A look that takes longer is killed, in milliseconds. */
  readonly timeoutMs: number;
}

/** How much of its output is kept, in characters: of stdout the whole answer, of stderr the end. */
const STDOUT_MAX = 16 * 1024 * 1024;
const STDERR_MAX = 500;

const facts = { day: true, published_at: true, quarantined: true, suspects_pending: true, fetched: true } as const;
const AnswerSchema = z.looseObject({ newest: z.object(ReleaseSchema.shape).pick(facts).nullable() });

/**
 * Reads what the newest release tells by `modelstats status --json`, in a process of its own: a read that hangs on a dead disk would keep this
 * one from ending, as it would with a night (decision 0008). Undefined where there is none; rejects where it can't be found out.
 */
export function readNewestByProcess(
  stop: AbortSignal,
  options: NewestProcessOptions,
): Promise<ReleaseFacts | undefined> {
  const [program, ...words] = options.command;
  const child = spawn(program, [...words, 'status', '--json'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
    signal: AbortSignal.any([stop, AbortSignal.timeout(options.timeoutMs)]),
    killSignal: 'SIGKILL',
  });
  const [stdout, stderr] = [collect(child.stdout, STDOUT_MAX), collect(child.stderr, STDERR_MAX)];
  return new Promise((resolve, reject) => {
    child.on('error', (cause) => {
      // Killed, or never started. Not waiting for its end: on a disk that hangs, that can take long.
      release(child);
      reject(
        new Error(`the store was not read within ${options.timeoutMs / 1000} s: ${messageFromError(cause)}`, { cause }),
      );
    });
    child.on('close', (code, signal) => {
      const answer = code === 0 ? findAnswer(stdout()) : undefined;
      if (answer !== undefined) resolve(answer.newest ?? undefined);
      else reject(new Error(stderr().trim() || `status ended with ${signal ?? `exit code ${code}`} and no answer`));
    });
  });
}

function findAnswer(text: string): z.infer<typeof AnswerSchema> | undefined {
  try {
    return AnswerSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
