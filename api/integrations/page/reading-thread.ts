/** The thread of `readInThread`: reports its start, then one result. */
import { parentPort, workerData } from 'node:worker_threads';
import type { ThreadMessage } from './read-in-thread.ts';
import { type ReadingOrder, read } from './reading.ts';

const order: ReadingOrder = workerData;
const post = (message: ThreadMessage) => parentPort?.postMessage(message);
post({ kind: 'begun' });
post({ kind: 'read', reading: read(order) });
