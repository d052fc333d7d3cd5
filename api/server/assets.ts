import { createHash } from 'node:crypto';
import { extname } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { etagOf, findTagUnchanged } from './conditional.ts';
import { notFound } from './errors/http-error.ts';
import { acceptsGzip, gzip } from './response-cache.ts';
import { HTML_TYPE, type ResponseHeaders } from './response-headers.ts';

/** What there are files of. */
const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': HTML_TYPE,
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml; charset=utf-8',
};

/** Pictures are small, and don't get smaller. */
const PACKED_FROM_BYTES = 4096;

/**
 * Something that is the same for everybody, from memory, so that nobody's request packs it anew. Its route must not compress.
 */
export class Asset {
  readonly #type: string;
  readonly #etag: string;
  readonly #body: Buffer;
  /** Made when it is first asked for. */
  #packed: Promise<Buffer> | undefined;

  /** @param type as `Content-Type` has it */
  constructor(type: string, body: Buffer) {
    this.#type = type;
    this.#etag = etagOf(body);
    this.#body = body;
  }

  async answer({ headers }: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const matching = findTagUnchanged(headers['if-none-match'], this.#etag);
    reply.headers({ ETag: matching ?? `"${this.#etag}"`, Vary: 'accept-encoding' });
    if (matching !== undefined) return reply.code(304).send();
    reply.type(this.#type);
    if (this.#body.length < PACKED_FROM_BYTES || !acceptsGzip(headers['accept-encoding']))
      return reply.send(this.#body);
    this.#packed ??= gzip(this.#body);
    return reply.header('Content-Encoding', 'gzip').send(await this.#packed); // Which the tag tells then, as everywhere.
  }
}

/**
 * Adds files below a folder's path. They may be kept for a year, so what asks for them names what this returns, which changes with them.
 *
 * @param folder without slashes around it
 * @param files what they hold, by their names
 * @param headers what they are sent with besides
 */
export function addVersionedAssets(
  scope: FastifyInstance,
  folder: string,
  { files, headers = {} }: { readonly files: Readonly<Record<string, Buffer>>; readonly headers?: ResponseHeaders },
): string {
  const assets = new Map(Object.entries(files).map(([name, bytes]) => [name, assetFrom(name, bytes)]));
  scope.get<{ Params: { name: string } }>(`/${folder}/:name`, { compress: false }, (request, reply) => {
    const asset = assets.get(request.params.name);
    if (asset === undefined) throw notFound(null, 'There is no such file');
    return asset.answer(request, reply.headers({ ...headers, 'Cache-Control': 'public, max-age=31536000, immutable' }));
  });
  return versionOf(files);
}

/** What changes with the files, for addresses that name it. */
export function versionOf(files: Readonly<Record<string, Buffer>>): string {
  const hash = createHash('sha256');
  for (const bytes of Object.values(files)) hash.update(bytes);
  return hash.digest('hex').slice(0, 12);
}

function assetFrom(name: string, body: Buffer): Asset {
  return new Asset(TYPES[extname(name)] ?? 'application/octet-stream', body);
}
