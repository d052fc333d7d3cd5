import { createHash } from 'node:crypto';
import { createReadStream, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import type { Readable, TransformOptions } from 'node:stream';
import { createGunzip, type ZlibOptions } from 'node:zlib';

const BLOCK_BYTES = 1 << 20;
/** By how much JSON Lines usually shrink. */
const USUAL_RATIO = 10;
/** What zlib unpacks at once, in bytes. */
const UNPACKED_BLOCK_BYTES = 1 << 18;
/** Unpacked bytes that wait for their reader: with fewer, zlib waits while it works on a block, and the two take turns. */
const UNPACKED_AHEAD_BYTES = 4 * UNPACKED_BLOCK_BYTES;

export interface FileHash {
  readonly bytes: number;
  /** Lower-case hex. */
  readonly sha256: string;
}

/** The SHA-256 of bytes in memory, lower-case hex. */
export function sha256(bytes: string | Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Size and SHA-256 of a stream, which is read to its end. */
export async function hashStream(stream: AsyncIterable<Buffer>): Promise<FileHash> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of stream) {
    hash.update(chunk);
    bytes += chunk.length;
  }
  return { bytes, sha256: hash.digest('hex') };
}

/** Size and SHA-256 of a local file. */
export function hashFile(path: string): Promise<FileHash> {
  return hashStream(readBlocks(path));
}

/**
 * The bytes of a file in blocks, each good only until the next is asked for: all share one buffer, because a new one for
 * each would keep the garbage collector busier than the reader.
 */
export async function* readBlocks(path: string): AsyncGenerator<Buffer> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    const block = Buffer.allocUnsafe(bufferBytes(size, BLOCK_BYTES));
    for (;;) {
      const { bytesRead } = await file.read(block, 0, block.length);
      if (bytesRead === 0) return;
      yield block.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}

/** What a gzip file holds, in pieces; rejects where it is cut off or damaged. */
export function readGzip(path: string): Readable {
  const bytes = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  const source = createReadStream(path, { highWaterMark: bufferBytes(bytes, BLOCK_BYTES) });
  const options: ZlibOptions & TransformOptions = {
    chunkSize: bufferBytes(bytes * USUAL_RATIO, UNPACKED_BLOCK_BYTES),
    readableHighWaterMark: UNPACKED_AHEAD_BYTES,
  };
  const gunzip = createGunzip(options);
  source.on('error', (error) => gunzip.destroy(error));
  return source.pipe(gunzip);
}

/** Smaller: more calls for a file whose size is told wrong, as of one that grows. */
const BUFFER_BYTES_MIN = 4096;

/**
 * How large a buffer for reading a file has to be: as large as the file, up to `bytesMax`. A buffer of a megabyte for each of a
 * night's two hundred small files would make the garbage collector run a dozen times for nothing.
 */
export function bufferBytes(fileBytes: number, bytesMax: number): number {
  return Math.min(bytesMax, Math.max(BUFFER_BYTES_MIN, fileBytes));
}
