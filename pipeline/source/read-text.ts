import { isUtf8 } from 'node:buffer';
import { open } from 'node:fs/promises';
import { AppError, messageFromError } from '../../runtime/errors.ts';

/** The text of a small file of a source; rejects with `source_rejected` where it is larger, no text in UTF-8, or can't be read. */
export async function readText(path: string, bytesMax: number): Promise<string> {
  const bytes = await readStart(path, bytesMax + 1).catch((cause) => {
    throw new AppError('source_rejected', `${path} can't be read: ${messageFromError(cause)}`, { cause });
  });
  if (bytes.length > bytesMax) throw new AppError('source_rejected', `${path}: is larger than ${bytesMax} bytes`);
  if (!isUtf8(bytes)) throw new AppError('source_rejected', `${path}: is not UTF-8`);
  return bytes.toString('utf8');
}

async function readStart(path: string, bytes: number): Promise<Buffer> {
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
