import { promisify } from 'node:util';
import { gzip as gzipWithCallback } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import type { Awaitable } from '../../runtime/awaitable.ts';
import type { ResponseHeaders } from './response-headers.ts';
import type { Content } from './route.ts';

interface StoredBody {
  /** In UTF-8, encoded once. */
  readonly body: Buffer;
  /** Undefined: none. */
  readonly headers: ResponseHeaders | undefined;
}

export interface CachedBody extends StoredBody {
  readonly isHit: boolean;
}

/**
 * An LRU cache of bodies. Keys identify exact bytes, such as entity tags, so entries never go stale. Concurrent
 * requests for a body share its loading.
 */
export class ResponseCache {
  readonly #bodies: LRUCache<string, StoredBody>;
  readonly #pending = new Map<string, Promise<StoredBody>>();

  /** @param bytesMax of all bodies; one larger than a tenth of it is not cached. */
  constructor(bytesMax: number) {
    this.#bodies = new LRUCache({
      maxSize: bytesMax,
      maxEntrySize: Math.max(1, Math.floor(bytesMax / 10)),
      sizeCalculation: ({ body }, key) => body.length + key.length + ENTRY_BYTES,
    });
  }

  has(key: string): boolean {
    return this.#bodies.has(key);
  }

  /** Synchronous if cached. Rejects with what `load` rejects with. */
  get(key: string, load: () => Promise<Content>): Awaitable<CachedBody> {
    const known = this.#bodies.get(key);
    if (known !== undefined) return { ...known, isHit: true };
    const pending = this.#pending.get(key);
    if (pending !== undefined) return pending.then((stored) => ({ ...stored, isHit: true }));
    return this.#load(key, load);
  }

  async #load(key: string, load: () => Promise<Content>): Promise<CachedBody> {
    const loading = load().then(storedFrom);
    this.#pending.set(key, loading);
    try {
      const stored = await loading;
      this.#bodies.set(key, stored);
      return { ...stored, isHit: false };
    } finally {
      this.#pending.delete(key);
    }
  }
}

function storedFrom(content: Content): StoredBody {
  if (Buffer.isBuffer(content)) return { body: content, headers: undefined };
  if (typeof content === 'string') return { body: Buffer.from(content, 'utf8'), headers: undefined };
  return { body: Buffer.from(content.body, 'utf8'), headers: content.headers };
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
