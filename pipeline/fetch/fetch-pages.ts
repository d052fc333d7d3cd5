import { writeFile } from 'node:fs/promises';
import { isNestedDeeper } from '../../runtime/json-depth.ts';
import { hashFile } from '../../storage/hash.ts';
import type { Pages } from '../source/fetch-list.ts';
import { type JsonPath, parseJsonPath, valueAt } from '../source/json-document.ts';
import { readDocument } from './content.ts';
import { type DownloadDeps, type Downloaded, type DownloadRequest, download } from './download.ts';
import { lastingFault, passingFault, type RetryDeps, withRetries } from './upstream-fault.ts';

/**
 * Fetches a paginated response as its first page with the rows of all. A single page is stored as served; joined pages
 * have numbers as JSON doubles. Each page is retried on its own. Rejects with an `UpstreamFault` where a page is
 * missing or invalid, links to another origin or an earlier page, or there are more than `max`.
 */
export async function fetchPages(
  request: DownloadRequest,
  pages: Pages,
  deps: DownloadDeps & RetryDeps,
): Promise<Exclude<Downloaded, 'unchanged'>> {
  const rowsPath = pathOf(pages.rows);
  const rows: unknown[] = [];
  const fetched = new Set<string>();
  let [bytes, first]: [number, unknown] = [0, undefined];
  for (let url: URL | undefined = request.url; url !== undefined; ) {
    if (fetched.size >= pages.max) throw lastingFault(`has more than ${pages.max} pages`);
    fetched.add(url.href);
    const read = { path: rowsPath, number: fetched.size, text: pages.rows };
    // Unconditional: a page's validators don't cover the others.
    const pageRequest = { ...request, url, known: undefined };
    const { got, page, found } = await withRetries(() => fetchPage(pageRequest, read, deps), deps);
    bytes += got.bytes;
    if (bytes > deps.limits.bytesMax) {
      throw lastingFault(`has pages of more than ${deps.limits.bytesMax} bytes (MODELSTATS_FETCH_BYTES_MAX)`);
    }
    for (const row of found) rows.push(row);
    first ??= page;
    url = nextOf(page, { from: got.url, firstUrl: request.url, text: pages.next, fetched });
    if (url === undefined && fetched.size === 1) return got;
  }
  await writeFile(request.path, `${JSON.stringify(withRows(first, rowsPath, rows))}\n`, { flush: true });
  return { ...(await hashFile(request.path)), etag: null, last_modified: null, url: request.url };
}

/** Levels of nesting in a page; much deeper, it could be read but not written. */
const LEVELS_MAX = 64;

interface RowsPlace {
  readonly path: JsonPath;
  /** As in the recipe. */
  readonly text: string;
  /** 1-based. */
  readonly number: number;
}

async function fetchPage(request: DownloadRequest, place: RowsPlace, deps: DownloadDeps) {
  const got = await download(request, deps);
  if (got === 'unchanged') throw new Error('unchanged, without a condition');
  const page = await readDocument(request.path, 'page.json');
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
  /** URL of the page. */
  readonly from: URL;
  /** Requested URL of the first page. */
  readonly firstUrl: URL;
  readonly text: string;
  /** URLs of the pages so far. */
  readonly fetched: ReadonlySet<string>;
}

/** The next page's address; undefined after the last. */
function nextOf(page: unknown, { from, firstUrl, text, fetched }: NextInput): URL | undefined {
  const next = valueAt(page, pathOf(text)) ?? '';
  if (next === '') return undefined;
  const url = typeof next === 'string' ? URL.parse(next, from.href) : null;
  if (url === null) throw lastingFault(`${text} is not the address of a page`);
  if (url.origin !== firstUrl.origin) throw lastingFault(`links from ${firstUrl.host} to a page at ${url.host}`);
  if (fetched.has(url.href)) throw lastingFault(`page ${fetched.size} links back to an earlier page`);
  return url;
}

function withRows(value: unknown, path: JsonPath, rows: readonly unknown[]): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return rows;
  const inner = withRows(valueAt(value, [step]), rest, rows);
  if (Array.isArray(value)) return value.map((each, index) => (index === step ? inner : each));
  return { ...Object(value), [step]: inner };
}
