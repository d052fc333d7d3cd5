import { LRUCache } from 'lru-cache';

/** What a request turned out to ask for, and what its answer says about itself. */
export interface EffectiveRequest {
  /** Made by the route that takes it. */
  readonly effective: unknown;
  /** Without quotes. */
  readonly etag: string;
  readonly modifiedAt: Date;
  /** The headers of a 304. */
  readonly fresh: Readonly<Record<string, string>>;
  /** The headers of an answer that is at hand, and of its body in gzip. */
  readonly hit: Readonly<Record<string, string>>;
  readonly packedHit: Readonly<Record<string, string>>;
}

/** Characters of what a request depends on, all kept ones together. Smaller: more are parsed and hashed again. */
const KEY_LENGTH_MAX = 4 * 1024 * 1024;

/** What an entry costs beside its key, about. */
const ENTRY_LENGTH = 1000;

/**
 * Requests to one route that were understood already. The same URL by callers of the same rights on the same day of the same
 * release asks for the same, so parsing, checking and hashing it again would only take time: more than sending an answer that
 * is at hand.
 */
export class EffectiveRequests {
  readonly #known = new LRUCache<string, EffectiveRequest>({
    maxSize: KEY_LENGTH_MAX,
    sizeCalculation: (_, key) => key.length + ENTRY_LENGTH,
  });

  /** @param key everything that the request depends on; `understand` may throw, which isn't kept */
  get(key: string, understand: () => EffectiveRequest): EffectiveRequest {
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const understood = understand();
    this.#known.set(key, understood);
    return understood;
  }
}
