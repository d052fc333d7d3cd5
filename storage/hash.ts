import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';

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
export async function hashStream(stream: Readable): Promise<FileHash> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    hash.update(chunk);
    bytes += chunk.length;
  }
  return { bytes, sha256: hash.digest('hex') };
}

/** Size and SHA-256 of a local file. */
export function hashFile(path: string): Promise<FileHash> {
  return hashStream(createReadStream(path, { highWaterMark: 1 << 20 }));
}

/** Size and SHA-256 of what a gzip file holds; rejects where it is cut off or damaged. */
export function hashGzipContent(path: string): Promise<FileHash> {
  return hashStream(readGzip(path));
}

/** What a gzip file holds, in pieces; rejects where it is cut off or damaged. */
export function readGzip(path: string): Readable {
  const source = createReadStream(path, { highWaterMark: 1 << 20 });
  const gunzip = createGunzip({ chunkSize: 1 << 20 });
  source.on('error', (error) => gunzip.destroy(error));
  return source.pipe(gunzip);
}
