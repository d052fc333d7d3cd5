import { createHmac, timingSafeEqual } from 'node:crypto';
import { basename, join } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../runtime/errors.ts';
import type { DatasetFile } from '../../schemas/manifest.ts';
import { type OpenedObject, openObject } from '../../storage/file/objects.ts';
import { releaseKey, snapshotPaths } from '../../storage/keys.ts';
import { isKey } from '../../storage/object-store.ts';
import { type ByteRange, type FileFacts, replyFor } from '../server/conditional.ts';
import { notFound } from '../server/errors/http-error.ts';
import type { View } from '../view/view.ts';
import { dayFromSnapshot } from '../view/view-meta.ts';
import { API_ERRORS, ApiError } from './api-errors.ts';

export interface FilesOptions {
  /** Root of the file store. */
  readonly folder: string;
  readonly links: FileLinks;
  /** The published file of a key; undefined if unknown. */
  readonly find: (key: string) => DatasetFile | undefined;
  readonly clock: () => Date;
}

/** Larger: more memory per download. Smaller: more calls per byte. */
const CHUNK_BYTES = 256 * 1024;

/**
 * `/files/<key>`: objects of a file store by signed URL, with ETag, conditions and ranges (specification "Signed
 * addresses").
 */
export function addFiles(app: FastifyInstance, { folder, links, find, clock }: FilesOptions): void {
  app.route<{ Params: { '*': string }; Querystring: { expires?: unknown; signature?: unknown } }>({
    method: ['GET', 'HEAD'],
    url: '/files/*',
    compress: false,
    handler: async (request, reply) => {
      const key = request.params['*'];
      const { expires, signature } = request.query;
      if (!isKey(key) || !links.isValid(key, String(expires), String(signature))) {
        throw new ApiError('signature_invalid', 'This URL has expired or was altered; request a new one');
      }
      const published = find(key);
      const opened = await openObject(join(folder, key));
      if (opened === undefined) throw notFound(null, 'This file is no longer stored');
      return response(request, reply, { key, published, opened, now: clock() });
    },
  });
}

interface Download {
  readonly key: string;
  readonly published: DatasetFile | undefined;
  readonly opened: OpenedObject;
  readonly now: Date;
}

/** The stream closes the file; without a stream it is closed here. */
async function response(request: FastifyRequest, reply: FastifyReply, download: Download): Promise<FastifyReply> {
  const { file } = download.opened;
  let isHandedOver = false;
  try {
    const range = headResponse(request, reply, download);
    if (range === undefined || request.method === 'HEAD') return reply.send();
    isHandedOver = true;
    return reply.send(file.createReadStream({ start: range.first, end: range.last, highWaterMark: CHUNK_BYTES }));
  } finally {
    if (!isHandedOver) await file.close();
  }
}

/** Sets status and headers. Returns the bytes to send; undefined: none. Throws refusals. */
function headResponse(request: FastifyRequest, reply: FastifyReply, download: Download): ByteRange | undefined {
  const facts = factsOf(download);
  const { etag, modifiedAt, bytes } = facts;
  const result = replyFor(request, facts, download);
  const { status } = result;
  const code = status === 412 ? 'precondition_failed' : 'range_not_satisfiable';
  if (status === 412) throw new ApiError(code, API_ERRORS[code].title);
  if (status === 416)
    throw new ApiError(code, API_ERRORS[code].title, { headers: { 'Content-Range': `bytes */${bytes}` } });
  reply.code(status).headers({
    ...(etag === undefined ? {} : { ETag: `"${etag}"` }),
    'Last-Modified': modifiedAt.toUTCString(),
    'Cache-Control': 'private, no-store',
  });
  if (status === 304) return undefined;
  const range = status === 206 ? result.range : { first: 0, last: bytes - 1 };
  if (status === 206) reply.header('Content-Range', `bytes ${range.first}-${range.last}/${bytes}`);
  reply.headers({
    'Accept-Ranges': 'bytes',
    'Content-Type': 'application/gzip',
    'Content-Length': range.last - range.first + 1,
    'Content-Disposition': `attachment; filename="${basename(download.key)}"`,
  });
  return bytes === 0 ? undefined : range;
}

/** The ETag is the published hash, the same on all replicas. */
function factsOf({ key, published, opened: { version } }: Download): FileFacts {
  if (published !== undefined && published.bytes !== version.bytes)
    throw new AppError('corrupt', `${key} has ${version.bytes} bytes, not the ${published.bytes} that were published`);
  return { etag: published?.sha256, modifiedAt: version.modifiedAt, bytes: version.bytes };
}

/** The files of all snapshots of a view. */
export class PublishedFiles {
  readonly #views: { current(): Pick<View, 'meta'> };
  readonly #files = new WeakMap<Pick<View, 'meta'>, ReadonlyMap<string, DatasetFile>>();

  constructor(views: { current(): Pick<View, 'meta'> }) {
    this.#views = views;
  }

  /** Undefined for unknown keys and pruned snapshots. Throws `unavailable` before there is a view. */
  find(key: string): DatasetFile | undefined {
    const view = this.#views.current();
    const known = this.#files.get(view);
    if (known !== undefined) return known.get(key);
    const files = filesOf(view);
    this.#files.set(view, files);
    return files.get(key);
  }
}

function filesOf({ meta: { catalog, manifests } }: Pick<View, 'meta'>): ReadonlyMap<string, DatasetFile> {
  const releases = new Map(catalog.releases.map((release) => [release.day, release]));
  const files = manifests.flatMap((manifest) => {
    const release = releases.get(dayFromSnapshot(manifest));
    if (release === undefined) return [];
    return manifest.datasets.map(
      (file) => [releaseKey(release, snapshotPaths(manifest).dataset(file.name)), file] as const,
    );
  });
  return new Map(files);
}

/**
 * Signed URLs for the objects of a file store (specification "Signed addresses").
 *
 * - `/files/<key>?expires=<unix seconds>&signature=<base64url>`; the signature is HMAC-SHA256 over key, newline,
 *   expiry.
 * - Anyone with the URL can download until it expires, without an API key or quota.
 * - Replicas must share the secret; a restart with another secret invalidates all URLs.
 */
export class FileLinks {
  readonly #secret: string | Buffer;
  readonly #clock: () => Date;

  constructor(secret: string | Buffer, clock: () => Date) {
    this.#secret = secret;
    this.#clock = clock;
  }

  /** Relative to the service's base URL. */
  sign(key: string, { expiresInSeconds }: { readonly expiresInSeconds: number }): string {
    const expires = Math.floor(this.#clock().getTime() / 1000) + expiresInSeconds;
    return `/files/${key}?expires=${expires}&signature=${this.#signature(key, expires)}`;
  }

  isValid(key: string, expires: string, signature: string): boolean {
    if (!/^\d{1,12}$/.test(expires) || Number(expires) * 1000 <= this.#clock().getTime()) return false;
    const expected = Buffer.from(this.#signature(key, Number(expires)));
    const given = Buffer.from(signature);
    return given.length === expected.length && timingSafeEqual(given, expected);
  }

  #signature(key: string, expires: number): string {
    return createHmac('sha256', this.#secret).update(`${key}\n${expires}`).digest('base64url');
  }
}
