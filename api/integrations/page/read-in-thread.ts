import { Worker } from 'node:worker_threads';
import { programBeside } from '../../../runtime/this-machine.ts';
import type { ReadingOrder, Readings } from './reading.ts';

/** For reading, 10 to 50 ms for usual pages; those that are made to take long never end. */
const READING_TIMEOUT_MS = 5_000;
/** For the start of a thread, some 50 ms: a machine that takes longer has no time for checks. */
const START_TIMEOUT_MS = 20_000;
/** A page of 1 MiB takes some 50 MiB as a tree. */
const MEMORY = { maxOldGenerationSizeMb: 192, maxYoungGenerationSizeMb: 32 };

/** What came of reading; undefined where it took too long or too much memory. */
export type Reading<Kind extends ReadingOrder['kind']> = Readings[Kind] | undefined;

/** What the thread tells: that it begins to read, and then what it has read. */
export type ThreadMessage =
  | { readonly kind: 'begun' }
  | { readonly kind: 'read'; readonly reading: Readings[ReadingOrder['kind']] };

/**
 * Reads what a stranger's server sent in a thread of its own, so that no request waits for it, whatever it holds. Rejects where our
 * program fails or doesn't begin in time, and with the signal's reason where that is aborted.
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
    let timer = setTimeout(() => fail(new Error('a thread that reads did not begin in time')), START_TIMEOUT_MS);
    signal?.addEventListener('abort', giveUp);
    if (signal?.aborted) giveUp();
    thread.on('message', (message: ThreadMessage) => {
      // An order is answered by a reading of its kind.
      if (message.kind === 'read') return end(() => resolve(message.reading as Readings[Kind]));
      clearTimeout(timer);
      timer = setTimeout(() => end(() => resolve(undefined)), timeoutMs);
    });
    thread.on('error', (error: Error) => {
      const isTooLarge = 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
      if (isTooLarge) end(() => resolve(undefined));
      else fail(error);
    });
    // Without an effect where an answer or an error came before.
    thread.on('exit', (code) => fail(new Error(`the thread that read ${order.url} ended with ${code}`)));
  });
}
