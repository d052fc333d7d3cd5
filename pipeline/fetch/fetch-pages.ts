import { writeFile } from 'node:fs/promises';
import { isNestedDeeper } from '../../runtime/json-depth.ts';
import { hashFile } from '../../storage/hash.ts';
import type { Pages } from '../source/fetch-list.ts';
import { type JsonPath, parseJsonPath, valueAt } from '../source/json-document.ts';
import { readDocument } from './content.ts';
import { type DownloadDeps, type Downloaded, type DownloadRequest, download } from './download.ts';
import { lastingFault, passingFault, type RetryDeps, withRetries } from './upstream-fault.ts';

/**
 * Fetches an answer in pages: the first with the rows of all in place of its own. One that is whole stays as it was served; of several
 * the numbers are those that JSON's doubles can hold. Every page is tried again on its own. Rejects with an `UpstreamFault` where a
 * page is missing, is no such page, leads to another origin or back, or where there are more than `max`.
 */
export async function fetchPages(
  wanted: DownloadRequest,
  pages: Pages,
  deps: DownloadDeps & RetryDeps,
): Promise<Exclude<Downloaded, 'unchanged'>> {
  const rowsPath = pathOf(pages.rows);
  const rows: unknown[] = [];
  const seen = new Set<string>();
  let [bytes, first]: [number, unknown] = [0, undefined];
  for (let url: URL | undefined = wanted.url; url !== undefined; ) {
    if (seen.size >= pages.max) throw lastingFault(`has more than ${pages.max} pages`);
    seen.add(url.href);
    const read = { path: rowsPath, number: seen.size, text: pages.rows };
    // A page says nothing about the others, so there is no condition.
    const asked = { ...wanted, url, known: undefined };
    const { got, page, found } = await withRetries(() => fetchPage(asked, read, deps), deps);
    bytes += got.bytes;
    if (bytes > deps.limits.bytesMax) {
      throw lastingFault(`has pages of more than ${deps.limits.bytesMax} bytes (MODELSTATS_FETCH_BYTES_MAX)`);
    }
    for (const row of found) rows.push(row);
    first ??= page;
    url = nextOf(page, { from: got.url, wanted: wanted.url, text: pages.next, seen });
    if (url === undefined && seen.size === 1) return got;
  }
  await writeFile(wanted.path, `${JSON.stringify(withRows(first, rowsPath, rows))}\n`, { flush: true });
  return { ...(await hashFile(wanted.path)), etag: null, last_modified: null, url: wanted.url };
}

/** Levels of lists and objects in a page. Many more: it could be read, but not written again. */
const LEVELS_MAX = 64;

interface RowsPlace {
  readonly path: JsonPath;
  /** As the recipe has it. */
  readonly text: string;
  /** Of the page, from 1. */
  readonly number: number;
}

async function fetchPage(wanted: DownloadRequest, place: RowsPlace, deps: DownloadDeps) {
  const got = await download(wanted, deps);
  if (got === 'unchanged') throw new Error('unchanged, without a condition');
  const page = await readDocument(wanted.path, 'page.json');
  const found = valueAt(page, place.path);
  if (!Array.isArray(found)) throw passingFault(`page ${place.number} has no array ${place.text}`);
  if (isNestedDeeper(page, LEVELS_MAX)) {
    throw lastingFault(`page ${place.number} is nested more than ${LEVELS_MAX} levels deep`);
  }
  return { got, page, found };
}

function pathOf(text: string): JsonPath {
  const path = parseJsonPath(text);
  if (path === undefined) throw new Error(`not a path: ${text}`);
  return path;
}

interface NextInput {
  /** Where the page came from. */
  readonly from: URL;
  /** The first page as it was asked for. */
  readonly wanted: URL;
  readonly text: string;
  /** The pages so far. */
  readonly seen: ReadonlySet<string>;
}

/** The address of the page behind one; undefined behind the last. */
function nextOf(page: unknown, { from, wanted, text, seen }: NextInput): URL | undefined {
  const next = valueAt(page, pathOf(text)) ?? '';
  if (next === '') return undefined;
  const url = typeof next === 'string' ? URL.parse(next, from.href) : null;
  if (url === null) throw lastingFault(`${text} is no address of a page`);
  if (url.origin !== wanted.origin) throw lastingFault(`leads from ${wanted.host} to a page at ${url.host}`);
  if (seen.has(url.href)) throw lastingFault(`page ${seen.size} leads back to one before`);
  return url;
}

/** A page with these rows in place of its own. */
function withRows(value: unknown, path: JsonPath, rows: readonly unknown[]): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return rows;
  const inner = withRows(valueAt(value, [step]), rest, rows);
  if (Array.isArray(value)) return value.map((each, index) => (index === step ? inner : each));
  return { ...Object(value), [step]: inner };
}
