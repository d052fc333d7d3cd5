import { createHash } from 'node:crypto';
import { extname } from 'node:path';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Awaitable } from '../../runtime/awaitable.ts';
import { bindRoute, type WholeResponse } from './bind-route.ts';
import { etagOf, findTagUnchanged } from './conditional.ts';
import { notFound } from './errors/http-error.ts';
import { acceptsGzip, gzip } from './response-cache.ts';
import { HTML_TYPE, type ResponseHeaders } from './response-headers.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': HTML_TYPE,
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml; charset=utf-8',
};
const OTHER_TYPE = 'application/octet-stream';

/** Small files gain nothing from compression. */
const PACKED_FROM_BYTES = 4096;

/** Static content served from memory and compressed once. */
export class Asset {
  readonly #type: string;
  readonly #headers: ResponseHeaders;
  readonly #etag: string;
  readonly #body: Buffer;
  #packed: Promise<Buffer> | undefined;

  /** @param headers sent in addition */
  constructor(type: string, body: Buffer, headers: ResponseHeaders) {
    this.#type = type;
    this.#headers = headers;
    this.#etag = etagOf(body);
    this.#body = body;
  }

  async respond({ headers: requestHeaders }: FastifyRequest): Promise<WholeResponse> {
    const matching = findTagUnchanged(requestHeaders['if-none-match'], this.#etag);
    const unchanged = { ...this.#headers, ETag: matching ?? `"${this.#etag}"`, Vary: 'accept-encoding' };
    if (matching !== undefined) return { status: 304, headers: unchanged, body: undefined };
    const headers = { ...unchanged, 'Content-Type': this.#type };
    if (this.#body.length < PACKED_FROM_BYTES || !acceptsGzip(requestHeaders['accept-encoding']))
      return { status: 200, headers, body: this.#body };
    this.#packed ??= gzip(this.#body);
    // As everywhere, the tag names the encoding.
    return { status: 200, headers: { ...headers, 'Content-Encoding': 'gzip' }, body: await this.#packed };
  }
}

/** Adds the paths of static content. @param find throws what a request is refused with */
export function bindAsset(
  app: FastifyInstance,
  paths: readonly string[],
  find: (request: FastifyRequest) => Awaitable<Asset>,
): void {
  const respond = async (request: FastifyRequest) => (await find(request)).respond(request);
  for (const path of paths) bindRoute(app, { path, compress: false, respond });
}

/**
 * Adds files below a folder, cached by clients for a year. Returns their version, which URLs must include.
 * @param folder without slashes around it
 * @param files contents by name
 * @param headers sent in addition
 */
export function addVersionedAssets(
  scope: FastifyInstance,
  folder: string,
  { files, headers = {} }: { readonly files: Readonly<Record<string, Buffer>>; readonly headers?: ResponseHeaders },
): string {
  const all = { ...headers, 'Cache-Control': 'public, max-age=31536000, immutable' };
  const assets = new Map(
    Object.entries(files).map(([name, bytes]) => [name, new Asset(TYPES[extname(name)] ?? OTHER_TYPE, bytes, all)]),
  );
  bindAsset(scope, [`/${folder}/:name`], ({ params }) => {
    const asset = assets.get(Object(params).name);
    if (asset === undefined) throw notFound(null, 'There is no such file');
    return asset;
  });
  return versionOf(files);
}

/** A hash of the files, for their URLs. */
export function versionOf(files: Readonly<Record<string, Buffer>>): string {
  const hash = createHash('sha256');
  for (const bytes of Object.values(files)) hash.update(bytes);
  return hash.digest('hex').slice(0, 12);
}
