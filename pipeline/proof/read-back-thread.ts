/** Started by `readBackInThread`: one order, one result. */
import { parentPort, workerData } from 'node:worker_threads';
import { type ReplayOrder, readBackReplay } from './read-back.ts';

const order: ReplayOrder = workerData;
parentPort?.postMessage(await readBackReplay(order));
