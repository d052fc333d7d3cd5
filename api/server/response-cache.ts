import { promisify } from 'node:util';
import { gzip as gzipWithCallback } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import type { Awaitable } from '../../runtime/awaitable.ts';

export interface CachedBody {
  /** In UTF-8, encoded once. */
  readonly body: Buffer;
  readonly isHit: boolean;
}

/**
 * An LRU cache of bodies. Keys identify exact bytes, such as entity tags, so entries never go stale. Concurrent
 * requests for a body share its loading.
 */
export class ResponseCache {
  readonly #bodies: LRUCache<string, Buffer>;
  readonly #pending = new Map<string, Promise<Buffer>>();

  /** @param bytesMax of all bodies; one larger than a tenth of it is not cached. */
  constructor(bytesMax: number) {
    this.#bodies = new LRUCache({
      maxSize: bytesMax,
      maxEntrySize: Math.max(1, Math.floor(bytesMax / 10)),
      sizeCalculation: (body, key) => body.length + key.length + ENTRY_BYTES,
    });
  }

  has(key: string): boolean {
    return this.#bodies.has(key);
  }

  /** Synchronous if cached. Rejects with what `load` rejects with. */
  get(key: string, load: () => Promise<string | Buffer>): Awaitable<CachedBody> {
    const known = this.#bodies.get(key);
    if (known !== undefined) return { body: known, isHit: true };
    const pending = this.#pending.get(key);
    if (pending !== undefined) return pending.then((body) => ({ body, isHit: true }));
    return this.#load(key, load);
  }

  async #load(key: string, load: () => Promise<string | Buffer>): Promise<CachedBody> {
    const loading = load().then((body) => (typeof body === 'string' ? Buffer.from(body, 'utf8') : body));
    this.#pending.set(key, loading);
    try {
      const body = await loading;
      this.#bodies.set(key, body);
      return { body, isHit: false };
    } finally {
      this.#pending.delete(key);
    }
  }
}

/** Approximate overhead of an entry besides body and key. */
const ENTRY_BYTES = 200;

/** Compresses off the event loop. */
export const gzip: (content: Buffer | string) => Promise<Buffer> = promisify(gzipWithCallback);

/** Whether `Accept-Encoding` accepts gzip, whatever its preference. */
export function acceptsGzip(header: string | readonly string[] | undefined): boolean {
  return (
    header !== undefined &&
    String(header)
      .split(',')
      .some((part) => ACCEPTED_GZIP.test(part))
  );
}

const ACCEPTED_GZIP = /^\s*gzip\s*(?:;\s*q=(?!0(?:\.0*)?\s*$)|$)/i;
