import { createHash } from 'node:crypto';
import { AppError, messageFromError } from '../../runtime/errors.ts';
import type { DatasetFile } from '../../schemas/manifest.ts';
import { AnswerTooLargeError } from '../errors.ts';
import { LIMITED_BY } from '../read-body.ts';
import { LINE_BYTES_MAX, readBlocks } from './json-lines.ts';

/** Rejects where a manifest names a file that is larger than the settings allow, before any of it is downloaded. */
export function assertFileAllowed(
  { name, bytes, content_bytes: unpacked }: DatasetFile,
  { snapshot, fileBytesMax }: { readonly snapshot: string; readonly fileBytesMax: number },
): void {
  if (Math.max(bytes, unpacked) <= fileBytesMax) return;
  const message = `${name} of snapshot ${snapshot} has ${bytes} bytes, ${unpacked} unpacked, and ${fileBytesMax} are allowed: ${LIMITED_BY.file}`;
  throw new AnswerTooLargeError(message, { code: 'answer_too_large' });
}

/**
 * Rejects with `corrupt` where what a packed file holds is not what its manifest says, before any of it comes into a copy. It is
 * never unpacked further than the manifest says, nor held in memory.
 */
export async function assertContent(path: string, file: DatasetFile, snapshot: string): Promise<void> {
  const problem = await findContentProblem(path, file);
  if (problem === undefined) return;
  throw new AppError('corrupt', `${file.name} of snapshot ${snapshot} ${problem}`);
}

async function findContentProblem(
  path: string,
  { content_bytes: expected, content_sha256: sha256 }: DatasetFile,
): Promise<string | undefined> {
  const hash = createHash('sha256');
  let [bytes, lineBytes] = [0, 0];
  try {
    for await (const block of readBlocks(path)) {
      bytes += block.length;
      if (bytes > expected) return `unpacks to more than the ${expected} bytes that the manifest says`;
      const end = block.lastIndexOf(NEWLINE);
      lineBytes = end === -1 ? lineBytes + block.length : block.length - end - 1;
      if (lineBytes > LINE_BYTES_MAX) return `has a line of more than ${LINE_BYTES_MAX} bytes`;
      hash.update(block);
    }
  } catch (error) {
    return `can't be unpacked: ${messageFromError(error)}`;
  }
  return hash.digest('hex') === sha256 ? undefined : 'unpacks to something else than the manifest says';
}

const NEWLINE = 0x0a;
