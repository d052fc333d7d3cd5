import { Worker } from 'node:worker_threads';
import { programBeside } from '../../../runtime/this-machine.ts';
import type { ReadingOrder, Readings } from './reading.ts';

/** Usual pages take 10 to 50 ms; hostile ones may never end. */
const READING_TIMEOUT_MS = 5_000;
/** Starting takes some 50 ms; a slower machine is too busy for checks. */
const START_TIMEOUT_MS = 20_000;
/** A page of 1 MiB takes some 50 MiB as a tree. */
const MEMORY = { maxOldGenerationSizeMb: 192, maxYoungGenerationSizeMb: 32 };

/** Undefined: it took too much time or memory. */
export type Reading<Kind extends ReadingOrder['kind']> = Readings[Kind] | undefined;

export type ThreadMessage =
  | { readonly kind: 'begun' }
  | { readonly kind: 'read'; readonly reading: Readings[ReadingOrder['kind']] };

/**
 * Parses untrusted content without delaying requests. Rejects if our program fails or starts too late, or when aborted.
 */
export function readInThread<Kind extends ReadingOrder['kind']>(
  order: ReadingOrder & { readonly kind: Kind },
  {
    timeoutMs = READING_TIMEOUT_MS,
    signal,
  }: { readonly timeoutMs?: number; readonly signal?: AbortSignal | undefined } = {},
): Promise<Reading<Kind>> {
  const { path, execArgv } = programBeside(import.meta.filename, 'reading-thread');
  return new Promise((resolve, reject) => {
    const thread = new Worker(path, { workerData: order, execArgv: [...execArgv], resourceLimits: MEMORY });
    const end = (settle: () => void) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', giveUp);
      settle();
      void thread.terminate();
    };
    const fail = (error: Error) => end(() => reject(error));
    const giveUp = () => end(() => reject(signal?.reason));
    let timer = setTimeout(() => fail(new Error('the parser thread did not start in time')), START_TIMEOUT_MS);
    signal?.addEventListener('abort', giveUp);
    if (signal?.aborted) giveUp();
    thread.on('message', (message: ThreadMessage) => {
      // The kinds of order and reading match.
      if (message.kind === 'read') return end(() => resolve(message.reading as Readings[Kind]));
      clearTimeout(timer);
      timer = setTimeout(() => end(() => resolve(undefined)), timeoutMs);
    });
    thread.on('error', (error: Error) => {
      const isTooLarge = 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
      if (isTooLarge) end(() => resolve(undefined));
      else fail(error);
    });
    // Without effect after a message or error.
    thread.on('exit', (code) => fail(new Error(`the parser thread of ${order.url} exited with ${code}`)));
  });
}
