import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { AppError } from '../../runtime/errors.ts';

/** The longest line, which is also the largest object that DuckDB reads; a record has some hundred. */
export const LINE_BYTES_MAX = 16 * 1024 * 1024;

/** The lines of a file, unpacked where its name ends in `.gz`. Rejects with `corrupt` where one has more bytes than any record. */
export async function* readLines(path: string): AsyncGenerator<string, void> {
  let rest = '';
  for await (const chunk of openFile(path).setEncoding('utf8')) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > LINE_BYTES_MAX)
      throw new AppError('corrupt', `${path} has a line of more than ${LINE_BYTES_MAX} bytes`);
    yield* lines;
  }
  if (rest !== '') yield rest;
}

/** The bytes of a file block by block, unpacked where its name ends in `.gz`. */
export function readBlocks(path: string): AsyncIterable<Buffer> {
  return openFile(path);
}

function openFile(path: string): Readable {
  const file = createReadStream(path, { highWaterMark: BLOCK_BYTES });
  if (!path.endsWith('.gz')) return file;
  const unpacked = createGunzip({ chunkSize: BLOCK_BYTES });
  file.on('error', (error) => unpacked.destroy(error));
  unpacked.on('close', () => file.destroy());
  return file.pipe(unpacked);
}

const BLOCK_BYTES = 1 << 20;

/** Lines in groups of so many, the last one smaller. */
export async function* inGroups<T>(items: AsyncIterable<T>, size: number): AsyncGenerator<readonly T[], void> {
  let group: T[] = [];
  for await (const item of items) {
    group.push(item);
    if (group.length < size) continue;
    yield group;
    group = [];
  }
  if (group.length > 0) yield group;
}

/**
 * Writes lines to a new file; resolves to how many once they are all there.
 * @param isDurable whether they have to be on the disk then, for somebody who comes after a crash
 */
export async function writeLines(
  path: string,
  lines: Iterable<string> | AsyncIterable<string>,
  { isDurable = false }: { readonly isDurable?: boolean } = {},
): Promise<number> {
  const file = createWriteStream(path, { flags: 'w', flush: isDurable });
  const done = finished(file);
  let count = 0;
  let buffered = '';
  const write = async (text: string) => {
    if (!file.write(text)) await Promise.race([once(file, 'drain'), done]);
  };
  try {
    for await (const line of lines) {
      count += 1;
      buffered += `${line}\n`;
      if (buffered.length < WRITE_CHARACTERS) continue;
      await write(buffered);
      buffered = '';
    }
    if (buffered !== '') await write(buffered);
    file.end();
  } catch (error) {
    file.destroy();
    await done.catch(() => undefined);
    throw error;
  }
  await done;
  return count;
}

/** What is gathered before it is written. */
const WRITE_CHARACTERS = 1 << 18;

/** The lines of what isn't there. */
export async function* noLines(): AsyncGenerator<string, void> {
  // None.
}

/** Writes all of a chunk at a place of a file; the system may take it in parts. */
export async function writeFully(file: FileHandle, chunk: Uint8Array, position: number): Promise<void> {
  for (let written = 0; written < chunk.length; ) {
    const { bytesWritten } = await file.write(chunk, written, chunk.length - written, position + written);
    written += bytesWritten;
  }
}
