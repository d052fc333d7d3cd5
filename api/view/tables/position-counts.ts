import type { Day } from '../../../runtime/day.ts';
import { list, number, text } from '../../../storage/duckdb/row-shape.ts';
import type { Queries } from '../query-pool.ts';

/**
 * How many models each category ranked on each captured day. In memory, loaded when a history of ranks is asked for first: some 50
 * bytes for each category and day, of which there are ten thousand in a year of thirty categories.
 */
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

  /** 0 where the category ranked none. */
  of(category: string, day: Day): number {
    return this.#counts.get(category)?.get(day) ?? 0;
  }
}
