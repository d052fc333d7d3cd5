/**
 * How texts come beside a view. A text is on the disk, synced, before the view says that it has it; a process that dies before
 * leaves bytes that no view knows of.
 */
import { type FileHandle, open } from 'node:fs/promises';
import { basename } from 'node:path';
import { BLOCK_BYTES, BlockSums } from './block-sums.ts';
import type { Slice } from './text-file.ts';
import type { TextMeta } from './text-meta.ts';

/** Bytes that are copied or summed up at once: some tenths of a millisecond of the event loop. */
const CHUNK_BYTES = 32 * BLOCK_BYTES;

/** Takes a file that somebody else has written to its end for a text; whoever looks at its chunks must not keep them. */
export async function sealText(path: string, look: (chunk: Buffer) => void = () => {}): Promise<TextMeta> {
  const file = await open(path, 'r+');
  try {
    const sums = new BlockSums();
    for await (const chunk of chunksOf(file, { from: 0, to: (await file.stat()).size })) {
      sums.add(chunk);
      look(chunk);
    }
    await file.datasync();
    return { file: basename(path), bytes: sums.bytes, sums: sums.sums };
  } finally {
    await file.close();
  }
}

/** A stretch of a file. */
export interface Source extends Slice {
  readonly path: string;
}

/**
 * Writes stretches of other files behind what a view knows of a text, which stays as it is; without one the text is begun. What lies
 * there already, of a build that came to nothing, goes.
 */
export async function appendText(
  path: string,
  known: TextMeta | undefined,
  sources: readonly Source[],
): Promise<TextMeta> {
  const file = await open(path, known === undefined ? 'wx' : 'r+');
  try {
    const sums = new BlockSums(known);
    const { size } = await file.stat();
    if (size < sums.bytes) throw new Error(`${path} has ${size} bytes, but ${sums.bytes} are known`);
    await file.truncate(sums.bytes);
    for (const source of sources) await copyInto(file, sums, source);
    await file.datasync();
    return { file: basename(path), bytes: sums.bytes, sums: sums.sums };
  } finally {
    await file.close();
  }
}

async function copyInto(target: FileHandle, sums: BlockSums, source: Source): Promise<void> {
  const file = await open(source.path, 'r');
  try {
    for await (const chunk of chunksOf(file, source)) {
      for (let written = 0; written < chunk.length; ) {
        const { bytesWritten } = await target.write(chunk, written, chunk.length - written, sums.bytes + written);
        written += bytesWritten;
      }
      sums.add(chunk);
    }
  } finally {
    await file.close();
  }
}

/** The bytes of a slice; each chunk only until the next. Throws where the file ends before. */
async function* chunksOf(file: FileHandle, { from, to }: Slice): AsyncGenerator<Buffer> {
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  for (let at = from; at < to; ) {
    const { bytesRead } = await file.read(buffer, 0, Math.min(CHUNK_BYTES, to - at), at);
    if (bytesRead === 0) throw new Error(`the file ends at ${at}, not at ${to}`);
    yield buffer.subarray(0, bytesRead);
    at += bytesRead;
  }
}
