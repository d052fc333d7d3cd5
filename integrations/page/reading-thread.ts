/** The program of the thread that `readInThread` starts: one order, one answer. */
import { parentPort, workerData } from 'node:worker_threads';
import { type ReadingOrder, read } from './reading.ts';

const order: ReadingOrder = workerData;
parentPort?.postMessage(read(order));
