import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { finished } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';

/** The lines of a file, unpacked where its name ends in `.gz`. */
export async function* readLines(path: string): AsyncGenerator<string, void> {
  const file = createReadStream(path, { highWaterMark: 1 << 20 });
  const unpacked = path.endsWith('.gz') ? file.pipe(createGunzip({ chunkSize: 1 << 20 })) : file;
  file.on('error', (error) => unpacked.destroy(error));
  unpacked.setEncoding('utf8');
  let rest = '';
  for await (const chunk of unpacked) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') yield rest;
}

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
