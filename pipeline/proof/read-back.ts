/** Reads back what a night has written: hashes a file, unpacks and hashes its lines, and passes them on. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { programBeside } from '../../runtime/this-machine.ts';
import { LineReader } from '../../storage/gzip-lines.ts';
import { type FileHash, hashFile, readGzip } from '../../storage/hash.ts';
import { findReplayFault } from './replay.ts';

export interface ReadBack {
  readonly compressed: FileHash;
  /** Of the unpacked lines; meaningless after a fault. */
  readonly content: FileHash;
  readonly fault: string | undefined;
}

/** @param walk reads all lines; resolves to a fault, or undefined */
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

/** A public file and the paths it must follow from. Plain data, for another thread. */
export interface ReplayOrder {
  readonly path: string;
  /** See `findReplayFault`. */
  readonly key: readonly string[];
  /** Compressed; undefined for the first day. */
  readonly before: string | undefined;
  readonly events: string;
  readonly isRenewed: boolean;
}

/** With the replay of a day's events. */
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

async function* tap(chunks: AsyncIterable<Buffer>, onChunk: (chunk: Buffer) => void): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    onChunk(chunk);
    yield chunk;
  }
}

async function* nothing(): AsyncGenerator<Buffer> {}

/** Below this, starting a thread (some 30 ms) is not worth it. */
export const OWN_THREAD_BYTES_MIN = 32 * 1024 * 1024;

/**
 * Large files get their own thread: unpacking triggers some thirty garbage collections, which take ten times as long in
 * the night's own heap.
 * @param bytes recorded unpacked size
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
    // No effect after a message or error.
    thread.on('exit', (code) => reject(new Error(`the thread that read ${order.path} back ended with ${code}`)));
  });
}
