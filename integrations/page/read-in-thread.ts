import { Worker } from 'node:worker_threads';
import { programBeside } from '../../schemas/program-beside.ts';
import type { ReadingOrder, Readings } from './reading.ts';

/** For the start of a thread and for reading, each some 50 ms on a machine that has time; pages made to take long never end. */
export const READING_TIMEOUT_MS = 6_000;
/** A page of 1 MiB takes some 50 MiB as a tree. */
const MEMORY = { maxOldGenerationSizeMb: 192, maxYoungGenerationSizeMb: 32 };

/** What came of reading; undefined where it took too long or too much memory. */
export type Reading<Kind extends ReadingOrder['kind']> = Readings[Kind] | undefined;

/**
 * Reads what a stranger's server sent in a thread of its own, so that no request waits for it, whatever it holds. Rejects where our
 * program fails.
 */
export function readInThread<Kind extends ReadingOrder['kind']>(
  order: ReadingOrder & { readonly kind: Kind },
  { timeoutMs = READING_TIMEOUT_MS }: { readonly timeoutMs?: number } = {},
): Promise<Reading<Kind>> {
  const { path, execArgv } = programBeside(import.meta.filename, 'reading-thread');
  return new Promise((resolve, reject) => {
    const thread = new Worker(path, { workerData: order, execArgv: [...execArgv], resourceLimits: MEMORY });
    const timer = setTimeout(() => end(undefined), timeoutMs);
    const end = (reading: Reading<Kind>) => {
      clearTimeout(timer);
      resolve(reading);
      void thread.terminate();
    };
    thread.on('message', end);
    thread.on('error', (error) => {
      if ('code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY') return end(undefined);
      clearTimeout(timer);
      reject(error);
    });
    // Without an effect where an answer or an error came before.
    thread.on('exit', (code) => {
      clearTimeout(timer);
      reject(new Error(`the thread that read ${order.url} ended with ${code}`));
    });
  });
}
