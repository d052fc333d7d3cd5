/**
 * Reading back what a night has written: the file as it lies there is hashed, unpacked, hashed again and walked over. It knows files
 * and lines, and nothing of how they came to be.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { programBeside } from '../../runtime/this-machine.ts';
import { LineReader } from '../../storage/gzip-lines.ts';
import { type FileHash, hashFile, readGzip } from '../../storage/hash.ts';
import { findReplayFault } from './replay.ts';

export interface ReadBack {
  readonly compressed: FileHash;
  /** Of the unpacked lines; meaningless where there is a fault. */
  readonly content: FileHash;
  readonly fault: string | undefined;
}

/**
 * Reads a compressed file of lines back.
 * @param walk resolves to what is wrong with the lines, or undefined, and reads to their end then
 */
export async function readBack(
  path: string,
  walk: (lines: AsyncIterable<Buffer>) => Promise<string | undefined>,
): Promise<ReadBack> {
  const compressed = await hashFile(path);
  const hash = createHash('sha256');
  let bytes = 0;
  const lines = tap(readGzip(path), (chunk) => {
    bytes += chunk.length;
    hash.update(chunk);
  });
  const fault = await walk(lines);
  return { compressed, content: { bytes, sha256: hash.digest('hex') }, fault };
}

/** A public file and what it has to follow from, all of them paths. Plain data: it may go to another thread. */
export interface ReplayOrder {
  readonly path: string;
  /** See `findReplayFault`. */
  readonly key: readonly string[];
  /** The compressed file of the day before; undefined where there was none. */
  readonly before: string | undefined;
  readonly events: string;
  readonly isRenewed: boolean;
}

/** {@link readBack} with the replay of a day's events. */
export function readBackReplay({ path, key, before, events, isRenewed }: ReplayOrder): Promise<ReadBack> {
  return readBack(path, (lines) =>
    findReplayFault({
      key,
      before: new LineReader(before === undefined ? nothing() : readGzip(before)),
      events: new LineReader(createReadStream(events, { highWaterMark: 1 << 20 })),
      after: new LineReader(lines),
      isRenewed,
    }),
  );
}

async function* tap(chunks: AsyncIterable<Buffer>, look: (chunk: Buffer) => void): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    look(chunk);
    yield chunk;
  }
}

async function* nothing(): AsyncGenerator<Buffer> {}

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
