import { open } from 'node:fs/promises';
import { crc32 } from 'node:zlib';

const CHUNK_BYTES = 1024 * 1024;

/** CRC-32 of a file, read in pieces so that the event loop goes on. */
export async function fileSum(path: string): Promise<number> {
  const file = await open(path);
  try {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    let sum = 0;
    for (;;) {
      const { bytesRead } = await file.read(chunk, 0, CHUNK_BYTES);
      if (bytesRead === 0) return sum;
      sum = crc32(chunk.subarray(0, bytesRead), sum);
    }
  } finally {
    await file.close();
  }
}
