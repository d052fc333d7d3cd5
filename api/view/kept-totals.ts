import { LRUCache } from 'lru-cache';

/** Characters of what was counted, all kept ones together. Smaller: rare filters are counted again for every page. */
const KEYS_LENGTH_MAX = 1024 * 1024;

/** What an entry costs beside its key, about. */
const ENTRY_LENGTH = 200;

/** How many records of a view meet which filters: counted once, whatever the page and the order. They go with the view. */
export class KeptTotals {
  readonly #totals = new LRUCache<string, Promise<number>>({
    maxSize: KEYS_LENGTH_MAX,
    sizeCalculation: (_, key) => key.length + ENTRY_LENGTH,
  });

  /** @param key names the filters; `count` may reject, which isn't kept */
  get(key: string, count: () => Promise<number>): Promise<number> {
    const known = this.#totals.get(key);
    if (known !== undefined) return known;
    const total = count();
    this.#totals.set(key, total);
    total.catch(() => {
      if (this.#totals.peek(key) === total) this.#totals.delete(key);
    });
    return total;
  }
}
