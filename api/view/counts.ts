import { LRUCache } from 'lru-cache';
import type { Day } from '../../runtime/day.ts';
import { list, number, text } from '../../storage/duckdb/row-shape.ts';
import type { Queries } from './query-pool.ts';

/** Characters of all cached keys. Smaller: rare filters are counted again for every page. */
const KEYS_LENGTH_MAX = 1024 * 1024;

/** Approximate cost of an entry besides its key. */
const ENTRY_LENGTH = 200;

/** How many records match a filter, for all pages and orders. */
export class CachedTotals {
  readonly #totals = new LRUCache<string, Promise<number>>({
    maxSize: KEYS_LENGTH_MAX,
    sizeCalculation: (_, key) => key.length + ENTRY_LENGTH,
  });

  /** @param key identifies the filters; a rejection of `count` isn't cached */
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

/** How many models each category ranked on each captured day. In memory: about 50 bytes per category and day. */
export class PositionCounts {
  readonly #counts: ReadonlyMap<string, ReadonlyMap<Day, number>>;

  private constructor(counts: ReadonlyMap<string, ReadonlyMap<Day, number>>) {
    this.#counts = counts;
  }

  static async load(view: Queries): Promise<PositionCounts> {
    const rows = await view.rows(
      { category: text, days: list(text), positions: list(number) },
      `SELECT category, list(CAST(day AS VARCHAR) ORDER BY day) AS days, list(positions ORDER BY day) AS positions
       FROM ranking_counts GROUP BY category`,
      [],
    );
    return new PositionCounts(
      new Map(
        rows.map(({ category, days, positions }) => [
          category,
          new Map(days.map((day, i) => [day, positions[i] ?? 0])),
        ]),
      ),
    );
  }

  of(category: string, day: Day): number {
    return this.#counts.get(category)?.get(day) ?? 0;
  }
}
