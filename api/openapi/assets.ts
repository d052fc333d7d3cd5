import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, extname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { etagOf, findMatchingEtag } from '../../http/conditional.ts';
import { notFound } from '../../http/errors/http-error.ts';

interface Asset {
  readonly type: string;
  readonly etag: string;
  readonly body: Buffer;
  /** Made when it is first asked for. */
  packed: Promise<Buffer> | undefined;
}

/** What the documentation has files of. */
const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml; charset=utf-8',
};

/** Pictures are small, and don't get smaller. */
const PACKED_FROM_BYTES = 4096;
const pack = promisify(gzip);

/**
 * The files of the documentation, from memory: they are for everybody, so nobody's request may open a file or pack megabytes
 * anew. Some 2.5 MB.
 */
export class Assets {
  readonly #assets: ReadonlyMap<string, Asset>;

  /** @param folder whose files are read now, and never again */
  constructor(folder: string) {
    const names = readdirSync(folder).filter((name) => extname(name) in TYPES);
    this.#assets = new Map(names.map((name) => [name, assetFrom(name, readFileSync(join(folder, name)))]));
  }

  /** Answers with the file that the wildcard of the path names. */
  async answer(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { '*': name = '' } = request.params as Readonly<Record<string, string>>; // The route ends in a wildcard.
    const asset = this.#assets.get(name);
    if (asset === undefined) throw notFound(null, 'There is no such file');
    const isPacked = asset.body.length >= PACKED_FROM_BYTES && acceptsGzip(request.headers['accept-encoding']);
    const matching = findMatchingEtag(request.headers['if-none-match'], asset.etag);
    reply.headers({ ETag: matching ?? `"${asset.etag}"`, Vary: 'accept-encoding' });
    if (matching !== undefined) return reply.code(304).send();
    reply.type(asset.type);
    if (!isPacked) return reply.send(asset.body);
    asset.packed ??= pack(asset.body);
    return reply.header('Content-Encoding', 'gzip').send(await asset.packed); // Which the tag tells then, as everywhere.
  }
}

/** The folder of Swagger UI's own files. */
export function swaggerUiFolder(): string {
  return join(dirname(createRequire(import.meta.url).resolve('@fastify/swagger-ui')), 'static');
}

function assetFrom(name: string, body: Buffer): Asset {
  const type = TYPES[extname(name)] ?? 'application/octet-stream';
  return { type, etag: etagOf(body), body, packed: undefined };
}

/** Every browser does; whoever says anything particular about it gets the file as it is. */
function acceptsGzip(header: string | readonly string[] | undefined): boolean {
  return String(header ?? '')
    .split(',')
    .some((part) => part.trim() === 'gzip');
}
