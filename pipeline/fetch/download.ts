import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { pipeline, Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { FileHash } from '../../storage/hash.ts';
import type { UpstreamClient, UpstreamRequest, UpstreamResponse } from './upstream-client.ts';
import { lastingFault, passingFault, UpstreamFault, waitFromRetryAfter } from './upstream-fault.ts';

export interface Validators {
  readonly etag: string | null;
  readonly last_modified: string | null;
}

export interface DownloadRequest {
  readonly url: URL;
  readonly headers: UpstreamRequest['headers'];
  readonly secretHeaders: UpstreamRequest['secretHeaders'];
  /** The version already stored, if any. */
  readonly known: Validators | undefined;
  /** Its future name; .gz files are stored packed. */
  readonly file: string;
  /** Replaced. */
  readonly path: string;
}

export interface DownloadDeps {
  readonly client: Pick<UpstreamClient, 'get'>;
  readonly clock: () => Date;
  readonly limits: { readonly bytesMax: number; readonly timeoutMs: number };
}

export type Downloaded = (FileHash & Validators & { readonly url: URL }) | 'unchanged';

/**
 * Writes the body of one response to a file, unpacked. Rejects with an {@link UpstreamFault} for anything but the
 * complete file: a status other than 200 and 304, an HTML page, a body that is empty, cut off or too large, or an
 * unknown encoding.
 */
export async function download(request: DownloadRequest, deps: DownloadDeps): Promise<Downloaded> {
  const { client, clock, limits } = deps;
  const isPacked = /\.gz$/i.test(request.file);
  const response = await client.get({
    url: request.url,
    headers: {
      accept: '*/*',
      ...request.headers,
      'accept-encoding': isPacked ? 'identity' : 'gzip, br',
      ...conditionsOf(request.known),
    },
    secretHeaders: request.secretHeaders,
    timeoutMs: limits.timeoutMs,
  });
  const isUnchanged = response.status === 304 && request.known !== undefined;
  const isPage = isHtml(response.headers['content-type']) && !/\.html?$/i.test(request.file);
  if (response.status !== 200 || isPage) response.discard();
  if (isUnchanged) return 'unchanged';
  if (response.status !== 200) throw refused(response, clock().getTime());
  if (isPage) {
    throw passingFault(`${response.url.host} responded with an HTML page instead of the file`);
  }
  const saved = await save(unpacked(response, isPacked), request.path, {
    host: response.url.host,
    bytesMax: limits.bytesMax,
  });
  const { etag = null, 'last-modified': last_modified = null } = response.headers;
  return { ...saved, etag, last_modified, url: response.url };
}

/** Both, as browsers send them: upstreams with tags ignore the time. */
function conditionsOf(known: Validators | undefined): Readonly<Record<string, string>> {
  const conditions: Record<string, string> = {};
  if (known?.etag) conditions['if-none-match'] = known.etag;
  if (known?.last_modified) conditions['if-modified-since'] = known.last_modified;
  return conditions;
}

const PASSING_STATUSES = [408, 421, 425, 429];

function refused({ status, headers, url }: UpstreamResponse, now: number): UpstreamFault {
  const waitMs = waitFromRetryAfter(headers['retry-after'], now);
  const wait = waitMs === undefined ? '' : `, retry after ${Math.ceil(waitMs / 1000)} s`;
  const mayPass = status >= 500 || PASSING_STATUSES.includes(status);
  return new UpstreamFault(`${url.host} responded with ${status}${wait}`, { mayPass, waitMs });
}

function isHtml(type: string | undefined): boolean {
  return /^\s*(?:text\/html|application\/xhtml\+xml)\b/i.test(type ?? '');
}

function unpacked({ headers, body, url }: UpstreamResponse, isPacked: boolean): AsyncIterable<Buffer> {
  const encoding = (headers['content-encoding'] ?? '').trim().toLowerCase() || 'identity';
  // Some servers declare a .gz file as plain text in gzip encoding.
  if (encoding === 'identity' || (isPacked && /^(?:x-)?gzip$/.test(encoding))) return body;
  const decoder = decoderOf(encoding);
  if (decoder === undefined)
    throw lastingFault(`${url.host} responded in the unsupported encoding ${encoding.slice(0, 20)}`);
  // The iterator throws the error.
  pipeline(Readable.from(body), decoder, () => undefined);
  return decoded(decoder, url.host);
}

function decoderOf(encoding: string) {
  if (encoding === 'gzip' || encoding === 'x-gzip') return createGunzip();
  if (encoding === 'deflate') return createInflate();
  return encoding === 'br' ? createBrotliDecompress() : undefined;
}

async function* decoded(decoder: AsyncIterable<Buffer>, host: string): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of decoder) yield chunk;
  } catch (error) {
    if (error instanceof UpstreamFault) throw error;
    throw passingFault(`the response of ${host} can't be unpacked: it is cut off or damaged`);
  }
}

interface SaveLimits {
  readonly host: string;
  readonly bytesMax: number;
}

async function save(chunks: AsyncIterable<Buffer>, path: string, limits: SaveLimits): Promise<FileHash> {
  const file = await open(path, 'w', 0o600);
  try {
    return await write(chunks, file, limits);
  } finally {
    await file.close();
  }
}

async function write(
  chunks: AsyncIterable<Buffer>,
  file: FileHandle,
  { host, bytesMax }: SaveLimits,
): Promise<FileHash> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > bytesMax) {
      throw lastingFault(`the response of ${host} is larger than ${bytesMax} bytes (MODELSTATS_FETCH_BYTES_MAX)`);
    }
    hash.update(chunk);
    await file.writeFile(chunk);
  }
  if (bytes === 0) throw passingFault(`the response of ${host} is empty`);
  await file.sync();
  return { bytes, sha256: hash.digest('hex') };
}
