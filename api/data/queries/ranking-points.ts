import { createDayFromNumber, type Day, dayNumber } from '../../../runtime/day.ts';
import { partitionPoint } from '../../../runtime/partition-point.ts';
import { numberSql, TOP_POSITIONS_MAX } from '../../view/schema.ts';
import type { CheckedText, JsonText, View } from '../../view/view.ts';

/** How many models categories ranked on days of a range; each category is read once. */
export function createPositions(view: View, range: DayRange): (category: string, day: Day) => number {
  const counts = new Map<string, ReadonlyMap<Day, number>>();
  const dayOf = view.computed(createDayFromNumber);
  return (category, day) => {
    const known =
      counts.get(category) ??
      new Map(readPositions(view, category, range).map((row) => [dayOf(row.day), row.positions]));
    counts.set(category, known);
    return known.get(day) ?? 0;
  };
}

interface DayRange {
  readonly from: Day;
  readonly to: Day;
}

/** By captured day, since 1970, ascending. */
function readPositions(view: View, category: string, { from, to }: DayRange) {
  return view.rows<{ readonly day: number; readonly positions: number }>(
    `SELECT day, positions FROM ranking_counts
     WHERE category = ${numberSql('category')} AND day BETWEEN ? AND ? ORDER BY day`,
    [category, dayNumber(from), dayNumber(to)],
  );
}

export interface RankedQuery extends DayRange {
  readonly category: string;
  /** Positions per day, ties counted once. */
  readonly top: number;
}

interface RankedRow extends CheckedText {
  readonly model: string;
  readonly rank: number;
  readonly validFrom: number;
  readonly validTo: number;
}

/** JSON text of points, ascending by date, rank and model (specification "Rankings history"). */
export function rankedPoints(view: View, query: RankedQuery): readonly JsonText[] {
  const { category, top, from, to } = query;
  const rows = view.checkedRows<RankedRow>(
    `SELECT m.id AS model, rank, valid_from AS validFrom, valid_to AS validTo, text, "check"
     FROM intervals i INDEXED BY intervals_top JOIN ids m ON m.kind = 'model' AND m.number = i.model
     WHERE series = ${numberSql('category')}
       AND rank <= ${TOP_POSITIONS_MAX} AND rank <= ? AND valid_from <= ? AND valid_to >= ?
     ORDER BY rank, i.model`,
    [category, top, dayNumber(to), dayNumber(from)],
  );
  const counts = readPositions(view, category, query);
  const ranked = rowsByDay(
    rows,
    counts.map(({ day }) => day),
  );
  const id = JSON.stringify(category);
  const dayOf = view.computed(createDayFromNumber);
  return counts.flatMap(({ day, positions }, at) =>
    (ranked[at] ?? []).map(({ model, rank, text }) => {
      const payload = text.slice(text.indexOf('\t') + 2); // Without its opening brace.
      return (
        `{"date":"${dayOf(day)}","value":${rank},"model_id":${JSON.stringify(model)},"category_id":${id},` +
        `"payload":{"positions":${positions},${payload},"source":"capture"}`
      );
    }),
  );
}

/** For each day, the rows in force, in their order; takes as long as the result, not rows times days. */
function rowsByDay(rows: readonly RankedRow[], days: readonly number[]): readonly (readonly RankedRow[])[] {
  const found: RankedRow[][] = days.map(() => []);
  for (const row of rows) {
    const first = partitionPoint(days, (day) => day < row.validFrom);
    for (let at = first; at < days.length && (days[at] ?? 0) <= row.validTo; at += 1) {
      found[at]?.push(row);
    }
  }
  return found;
}
