import { promisify } from 'node:util';
import { gzip as gzipWithCallback } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import type { Awaitable } from '../../runtime/awaitable.ts';

/** A body, and whether it was at hand. */
export interface CachedBody {
  /** In UTF-8, so that a response that is sent again isn't encoded again. */
  readonly body: Buffer;
  readonly isHit: boolean;
}

/**
 * Bodies by a key that names their bytes for ever, such as an entity tag, so nothing here goes stale; the least recently used go first.
 * Requests for a body that is being made wait for it.
 */
export class ResponseCache {
  readonly #bodies: LRUCache<string, Buffer>;
  readonly #pending = new Map<string, Promise<Buffer>>();

  /** @param bytesMax of all bodies together; a body larger than a tenth of it is not kept. */
  constructor(bytesMax: number) {
    this.#bodies = new LRUCache({
      maxSize: bytesMax,
      maxEntrySize: Math.max(1, Math.floor(bytesMax / 10)),
      sizeCalculation: (body, key) => body.length + key.length + ENTRY_BYTES,
    });
  }

  /** True for a body that is at hand. */
  has(key: string): boolean {
    return this.#bodies.has(key);
  }

  /** A body, at once where it is at hand. Rejects with what `load` rejects with. */
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

/** What an entry costs beside its body and its key, which may be a URL that a stranger made long, about. */
const ENTRY_BYTES = 200;

/** Packs something that is kept, off the event loop. */
export const gzip: (content: Buffer | string) => Promise<Buffer> = promisify(gzipWithCallback);

/** Whether `Accept-Encoding` names gzip, whatever the client would rather have, and doesn't refuse it. */
export function acceptsGzip(header: string | readonly string[] | undefined): boolean {
  return (
    header !== undefined &&
    String(header)
      .split(',')
      .some((part) => ACCEPTED_GZIP.test(part))
  );
}

const ACCEPTED_GZIP = /^\s*gzip\s*(?:;\s*q=(?!0(?:\.0*)?\s*$)|$)/i;
