import { Worker } from 'node:worker_threads';
import { programBeside } from '../../runtime/program-beside.ts';
import { type ReadBack, type ReplayOrder, readBackReplay } from './read-back.ts';

/** Unpacked bytes from which on a file is worth the start of a thread, some 30 ms. */
export const OWN_THREAD_BYTES_MIN = 32 * 1024 * 1024;

/**
 * `readBackReplay`, of a large file in a thread of its own: unpacking leaves so much garbage behind that Node collects it thirty times,
 * and each time walks through all that a thread has loaded, which in the night's own is ten times as much.
 * @param bytes what the file is said to hold, unpacked
 */
export function readBackInThread(order: ReplayOrder, bytes: number): Promise<ReadBack> {
  return bytes < OWN_THREAD_BYTES_MIN ? readBackReplay(order) : startThread(order);
}

function startThread(order: ReplayOrder): Promise<ReadBack> {
  const { path, execArgv } = programBeside(import.meta.filename, 'read-back-thread');
  return new Promise((resolve, reject) => {
    const thread = new Worker(path, { workerData: order, execArgv: [...execArgv] });
    thread.on('message', resolve);
    thread.on('error', reject);
    // Without an effect where an answer or an error came before.
    thread.on('exit', (code) => reject(new Error(`the thread that read ${order.path} back ended with ${code}`)));
  });
}
