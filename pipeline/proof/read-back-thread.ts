/** The program of the thread that `readBackInThread` starts: one order, one answer. */
import { parentPort, workerData } from 'node:worker_threads';
import { type ReplayOrder, readBackReplay } from './read-back.ts';

const order: ReplayOrder = workerData;
parentPort?.postMessage(await readBackReplay(order));
