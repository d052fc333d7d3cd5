/** The program of the thread that `readInThread` starts: says that it is there, then gives one answer to one order. */
import { parentPort, workerData } from 'node:worker_threads';
import type { ThreadMessage } from './read-in-thread.ts';
import { type ReadingOrder, read } from './reading.ts';

const order: ReadingOrder = workerData;
const tell = (message: ThreadMessage) => parentPort?.postMessage(message);
tell({ kind: 'begun' });
tell({ kind: 'read', reading: read(order) });
