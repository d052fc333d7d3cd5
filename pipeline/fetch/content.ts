import { isUtf8 } from 'node:buffer';
import { readFile, stat } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { readBlocks, readGzip } from '../../storage/hash.ts';
import type { Expectation } from '../source/fetch-list.ts';
import { findJsonFault, parseJsonPath, valueAt } from '../source/json-document.ts';
import { readStart } from '../source/source-folder.ts';
import { lastingFault, passingFault, UpstreamFault } from './upstream-fault.ts';

export interface ContentDeps {
  /** The rows of a Parquet file; rejects where it is none. */
  readonly countParquetRows: (path: string) => Promise<number>;
}

export interface Content {
  /** Where the bytes lie. */
  readonly path: string;
  /** The file's name to be: what kind it is goes by that. */
  readonly name: string;
  readonly expected: Expectation;
}

/**
 * Looks whether what came from an upstream can be the file that was meant (specification "Fetching"): an error page with status 200,
 * a part, an empty list are answers too. Rejects with an `UpstreamFault` where it can't, and says why; another try may help.
 */
export async function checkContent(content: Content, deps: ContentDeps): Promise<void> {
  const { path, name, expected } = content;
  const { size } = await stat(path);
  const { min_bytes = 1, min_rows, json_path } = expected;
  if (size < min_bytes) throw passingFault(`has ${size} bytes, expected are at least ${min_bytes}`);
  await assertNoPage(content);
  const isJson = json_path !== undefined || /\.json(?:\.gz)?$/i.test(name);
  if (isJson) return checkDocument(await readDocument(path, name), expected);
  const isParquet = /\.parquet$/i.test(name);
  if (!isParquet && min_rows === undefined) return;
  const rows = isParquet ? await countParquet(path, deps) : await countRows(path, name);
  assertEnough(rows, min_rows ?? 0, 'rows');
}

const PAGE = /^\s*(?:<\?xml[^>]*>\s*)?(?:<!--[\s\S]*?-->\s*)?<(?:!doctype\s+html|html)\b/i;

async function assertNoPage({ path, name }: Content): Promise<void> {
  if (/\.html?$/i.test(name)) return;
  const head = (await readStart(path, 1024)).toString('latin1');
  if (PAGE.test(head)) throw passingFault('is an HTML page');
}

function checkDocument(document: unknown, { min_rows, json_path }: Expectation): void {
  if (json_path === undefined && min_rows === undefined) return;
  const path = parseJsonPath(json_path ?? '$') ?? [];
  const found = valueAt(document, path);
  const place = json_path ?? 'the document';
  if (found === null || typeof found !== 'object') {
    throw passingFault(`${place} is ${found === undefined ? 'not there' : 'neither an array nor an object'}`);
  }
  const entries = Array.isArray(found) ? found.length : Object.keys(found).length;
  // Whoever names a place and no number means that something is there.
  assertEnough(entries, min_rows ?? 1, `entries in ${place}`);
}

async function countRows(path: string, name: string): Promise<number> {
  const lines = await countLines(path, name);
  return /\.csv(?:\.gz)?$/i.test(name) ? Math.max(0, lines - 1) : lines;
}

async function countParquet(path: string, { countParquetRows }: ContentDeps): Promise<number> {
  try {
    return await countParquetRows(path);
  } catch {
    throw passingFault('is no whole Parquet file');
  }
}

/** Rejects where there are fewer than expected. */
export function assertEnough(count: number, min: number, what: string): void {
  if (count < min) throw passingFault(`has ${count} ${what}, expected are at least ${min}`);
}

const [NEWLINE, QUOTE, SPACE] = [0x0a, 0x22, 0x20];

/**
 * The lines of a text file that hold anything; of a CSV file its records, whose quoted fields may hold line breaks, the head among
 * them. A file whose name ends with .gz is unpacked on the way.
 */
async function countLines(path: string, name: string): Promise<number> {
  const counter = new LineCounter(/\.csv(?:\.gz)?$/i.test(name));
  for await (const block of blocksOf(path, name)) counter.add(block);
  return counter.end();
}

class LineCounter {
  readonly #isCsv: boolean;
  #lines = 0;
  #isQuoted = false;
  #isFilled = false;

  constructor(isCsv: boolean) {
    this.#isCsv = isCsv;
  }

  add(block: Buffer): void {
    for (const byte of block) {
      if (byte === QUOTE && this.#isCsv) this.#isQuoted = !this.#isQuoted;
      if (byte === NEWLINE && !this.#isQuoted) this.#endLine();
      else if (byte > SPACE) this.#isFilled = true;
    }
  }

  /** The lines, the last one without an end too. */
  end(): number {
    this.#endLine();
    return this.#lines;
  }

  #endLine(): void {
    if (this.#isFilled) this.#lines += 1;
    this.#isFilled = false;
  }
}

async function* blocksOf(path: string, name: string): AsyncGenerator<Buffer> {
  if (!/\.gz$/i.test(name)) {
    yield* readBlocks(path);
    return;
  }
  try {
    for await (const block of readGzip(path)) yield block;
  } catch {
    throw passingFault('is no whole gzip file');
  }
}

/** What is parsed as a whole, in bytes; a JSON value takes a few times as much memory. */
const DOCUMENT_BYTES_MAX = 128 * 1024 * 1024;

/** The JSON value in a file that came from an upstream, packed where its name ends with .gz; rejects with an `UpstreamFault`. */
export async function readDocument(path: string, name: string): Promise<unknown> {
  const text = await readDocumentText(path, name);
  try {
    return JSON.parse(text);
  } catch {
    throw passingFault(`is not JSON: ${findJsonFault(text) ?? 'it can not be parsed'}`);
  }
}

async function readDocumentText(path: string, name: string): Promise<string> {
  if ((await stat(path)).size > DOCUMENT_BYTES_MAX) throw tooLarge();
  const bytes = await readFile(path);
  const whole = /\.gz$/i.test(name) ? await unpack(bytes) : bytes;
  if (!isUtf8(whole)) throw passingFault('is not UTF-8');
  return whole.toString('utf8');
}

const gunzipWhole = promisify(gunzip);

async function unpack(bytes: Buffer): Promise<Buffer> {
  try {
    return await gunzipWhole(bytes, { maxOutputLength: DOCUMENT_BYTES_MAX });
  } catch (error) {
    const isLarge = error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
    throw isLarge ? tooLarge() : passingFault('is no whole gzip file');
  }
}

function tooLarge() {
  return lastingFault(`is larger than ${DOCUMENT_BYTES_MAX} bytes, the most that is looked into`);
}

/**
 * Rejects with an `UpstreamFault` where a gzip file, which is kept as it is, is not whole, or becomes more than so many bytes: what
 * reads it in the night has no limit of its own.
 */
export async function assertUnpackedSize(path: string, bytesMax: number): Promise<void> {
  let bytes = 0;
  try {
    for await (const block of readGzip(path)) {
      bytes += block.length;
      if (bytes > bytesMax) throw lastingFault(`unpacks to more than ${bytesMax} bytes (MODELSTATS_FETCH_BYTES_MAX)`);
    }
  } catch (error) {
    if (error instanceof UpstreamFault) throw error;
    throw passingFault('is no whole gzip file');
  }
}
