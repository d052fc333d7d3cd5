import { createHash } from 'node:crypto';
import { createReadStream, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import type { Readable, TransformOptions } from 'node:stream';
import { createGunzip, type ZlibOptions } from 'node:zlib';

const BLOCK_BYTES = 1 << 20;
/** JSON Lines usually compress by this factor. */
const USUAL_RATIO = 10;
/** Per output block of zlib. */
const UNPACKED_BLOCK_BYTES = 1 << 18;
/** Fewer would make zlib and its reader wait for each other. */
const UNPACKED_AHEAD_BYTES = 4 * UNPACKED_BLOCK_BYTES;

export interface FileHash {
  readonly bytes: number;
  /** Lower-case hex. */
  readonly sha256: string;
}

/** Lower-case hex. */
export function sha256(bytes: string | Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

export async function hashStream(stream: AsyncIterable<Buffer>): Promise<FileHash> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of stream) {
    hash.update(chunk);
    bytes += chunk.length;
  }
  return { bytes, sha256: hash.digest('hex') };
}

export function hashFile(path: string): Promise<FileHash> {
  return hashStream(readBlocks(path));
}

/** Each block is valid only until the next: all share one buffer, which spares the garbage collector. */
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

/** The unpacked bytes; rejects for a damaged or incomplete file. */
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

/** Smaller: more calls for a file that grows or reports a wrong size. */
const BUFFER_BYTES_MIN = 4096;

/**
 * The size of a read buffer: that of the file, up to `bytesMax`. A megabyte for each of a night's two hundred small
 * files would run the garbage collector a dozen times.
 */
export function bufferBytes(fileBytes: number, bytesMax: number): number {
  return Math.min(bytesMax, Math.max(BUFFER_BYTES_MIN, fileBytes));
}
