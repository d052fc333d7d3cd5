import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { AppError } from '../../runtime/errors.ts';
import { DATASETS, type DatasetName } from '../../schemas/datasets.ts';

/** Also DuckDB's limit for objects; a record has some hundred bytes. */
export const LINE_BYTES_MAX = 16 * 1024 * 1024;

/** The lines of a file, unpacked if its name ends in `.gz`. Rejects with `corrupt` for a line that is too long. */
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

/** Unpacked if the name ends in `.gz`. */
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
 * Writes a new file; resolves to the number of lines.
 * @param isDurable whether they must survive a crash
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

const WRITE_CHARACTERS = 1 << 18;

export async function* noLines(): AsyncGenerator<string, void> {
  // None.
}

/** The system may write a chunk in parts. */
export async function writeFully(file: FileHandle, chunk: Uint8Array, position: number): Promise<void> {
  for (let written = 0; written < chunk.length; ) {
    const { bytesWritten } = await file.write(chunk, written, chunk.length - written, position + written);
    written += bytesWritten;
  }
}

/** Lines, and the file or table they come from, for messages. */
export interface PlacedLines {
  readonly lines: AsyncIterable<string>;
  readonly place: string;
}

export interface KeyedLine {
  readonly key: readonly string[];
  readonly line: string;
}

/** Rejects with `corrupt` and the line's number if a line is no record of the dataset. */
export async function* keyedLines(
  dataset: DatasetName,
  { lines, place }: PlacedLines,
): AsyncGenerator<KeyedLine, undefined> {
  let number = 0;
  for await (const line of lines) {
    number += 1;
    const record = recordIn(line);
    const problem = record === undefined ? 'not a JSON object' : findKeyProblem(dataset, record);
    if (record === undefined || problem !== undefined) {
      throw new AppError('corrupt', `${place}, line ${number}: ${problem}`);
    }
    yield { key: keyOf(dataset, record), line };
  }
  return undefined;
}

function recordIn(line: string): AnyRecord | undefined {
  try {
    const value: unknown = parseRecord(line);
    return typeof value === 'object' && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

function findKeyProblem(dataset: DatasetName, record: AnyRecord): string | undefined {
  const missing = DATASETS[dataset].key.filter((part) => typeof record[part] !== 'string');
  if (missing.length === 0) return undefined;
  return `${missing.join(' and ')} ${missing.length === 1 ? 'is' : 'are'} missing`;
}

export type AnyRecord = Readonly<Record<string, unknown>>;

export function parseRecord(line: string): AnyRecord {
  return JSON.parse(line);
}

export function keyOf(dataset: DatasetName, record: AnyRecord): readonly string[] {
  return DATASETS[dataset].key.map((part) => String(record[part]));
}

/** The order of a snapshot's lines: by the UTF-8 bytes of each part. */
export function compareKeys(a: readonly string[], b: readonly string[]): number {
  for (const [index, part] of a.entries()) {
    const order = compareTexts(part, b[index] ?? '');
    if (order !== 0) return order;
  }
  return 0;
}

/** Like `Buffer.compare`; JavaScript orders only surrogates differently. */
function compareTexts(a: string, b: string): number {
  if (a === b) return 0;
  if (SURROGATE.test(a) || SURROGATE.test(b)) return Buffer.compare(Buffer.from(a), Buffer.from(b));
  return a < b ? -1 : 1;
}

const SURROGATE = /[\ud800-\udfff]/;
