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
  /** Rejects where the file is not Parquet. */
  readonly countParquetRows: (path: string) => Promise<number>;
}

export interface Content {
  readonly path: string;
  /** Its future name, which decides its kind. */
  readonly name: string;
  readonly expected: Expectation;
}

/**
 * Checks that a response can be the requested file (specification "Fetching"), not an error page with status 200, a
 * partial file, or an empty list. Rejects with an `UpstreamFault`; a retry may help.
 */
export async function checkContent(content: Content, deps: ContentDeps): Promise<void> {
  const { path, name, expected } = content;
  const { size } = await stat(path);
  const { min_bytes = 1, min_rows, json_path } = expected;
  if (size < min_bytes) throw passingFault(`has ${size} bytes, expected at least ${min_bytes}`);
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
    throw passingFault(`${place} is ${found === undefined ? 'missing' : 'neither an array nor an object'}`);
  }
  const entries = Array.isArray(found) ? found.length : Object.keys(found).length;
  // A path without a number requires at least one entry.
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
    throw passingFault('is not a complete Parquet file');
  }
}

export function assertEnough(count: number, min: number, what: string): void {
  if (count < min) throw passingFault(`has ${count} ${what}, expected at least ${min}`);
}

const [NEWLINE, QUOTE, SPACE] = [0x0a, 0x22, 0x20];

/**
 * Non-blank lines; for CSV, records including the header, whose quoted fields may hold line breaks. Unpacks .gz files.
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

  /** Includes a last line without a newline. */
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
    throw passingFault('is not a complete gzip file');
  }
}

/** Largest document to parse, in bytes; a JSON value takes several times as much memory. */
const DOCUMENT_BYTES_MAX = 128 * 1024 * 1024;

/** Unpacks .gz files; rejects with an `UpstreamFault`. */
export async function readDocument(path: string, name: string): Promise<unknown> {
  const text = await readDocumentText(path, name);
  try {
    return JSON.parse(text);
  } catch {
    throw passingFault(`is not JSON: ${findJsonFault(text) ?? 'it cannot be parsed'}`);
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
    throw isLarge ? tooLarge() : passingFault('is not a complete gzip file');
  }
}

function tooLarge() {
  return lastingFault(`is larger than ${DOCUMENT_BYTES_MAX} bytes, the largest that is checked`);
}

/**
 * Rejects with an `UpstreamFault` where a gzip file is incomplete or unpacks to more bytes: nights read it without a
 * limit.
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
    throw passingFault('is not a complete gzip file');
  }
}
