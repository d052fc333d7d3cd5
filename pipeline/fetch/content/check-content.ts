import { stat } from 'node:fs/promises';
import type { Expectation } from '../../source/fetch-list/fetch-entry.ts';
import { parseJsonPath, valueAt } from '../../source/fetch-list/json-path.ts';
import { passingFault } from '../http/upstream-fault.ts';
import { countLines, readHead } from './count-rows.ts';
import { readDocument } from './read-document.ts';

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
  const head = (await readHead(path, 1024)).toString('latin1');
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
