import { LRUCache } from 'lru-cache';
import type { Awaitable } from '../../schemas/awaitable.ts';

/** A body, and whether it was at hand. */
export interface KeptBody {
  /** In UTF-8, so that an answer that is sent again isn't encoded again. */
  readonly body: Buffer;
  readonly isHit: boolean;
}

/**
 * Bodies by their entity tag, the least recently used going first. A tag names its bytes for ever, so nothing here goes
 * stale; requests for an answer that is being computed wait for it.
 */
export class AnswerCache {
  readonly #bodies: LRUCache<string, Buffer>;
  readonly #pending = new Map<string, Promise<Buffer>>();

  /** @param bytesMax of all bodies together; an answer larger than a tenth of it is not kept. */
  constructor(bytesMax: number) {
    this.#bodies = new LRUCache({
      maxSize: bytesMax,
      maxEntrySize: Math.max(1, Math.floor(bytesMax / 10)),
      sizeCalculation: (body, key) => body.length + key.length + ENTRY_BYTES,
    });
  }

  /** True for an answer that is at hand. */
  has(etag: string): boolean {
    return this.#bodies.has(etag);
  }

  /** A body, at once where it is at hand. Rejects with what `load` rejects with. */
  get(etag: string, load: () => Promise<string | Buffer>): Awaitable<KeptBody> {
    const known = this.#bodies.get(etag);
    if (known !== undefined) return { body: known, isHit: true };
    const pending = this.#pending.get(etag);
    if (pending !== undefined) return pending.then((body) => ({ body, isHit: true }));
    return this.#load(etag, load);
  }

  async #load(etag: string, load: () => Promise<string | Buffer>): Promise<KeptBody> {
    const loading = load().then((body) => (typeof body === 'string' ? Buffer.from(body, 'utf8') : body));
    this.#pending.set(etag, loading);
    try {
      const body = await loading;
      this.#bodies.set(etag, body);
      return { body, isHit: false };
    } finally {
      this.#pending.delete(etag);
    }
  }
}

/** What an entry costs beside its body and its key, which may be a URL that a stranger made long, about. */
const ENTRY_BYTES = 200;
