import type { Day } from '../../../runtime/day.ts';
import { TOP_POSITIONS_MAX } from '../../view/schema.ts';
import type { CheckedText, View } from '../../view/view.ts';
import type { JsonText } from '../responses/data-route.ts';

/** How many models categories ranked on days of a range; each category is read once. */
export function createPositions(view: View, range: DayRange): (category: string, day: Day) => number {
  const counts = new Map<string, ReadonlyMap<Day, number>>();
  return (category, day) => {
    const known = counts.get(category) ?? readPositions(view, category, range);
    counts.set(category, known);
    return known.get(day) ?? 0;
  };
}

interface DayRange {
  readonly from: Day;
  readonly to: Day;
}

/** By captured day, ascending. */
function readPositions(view: View, category: string, { from, to }: DayRange): ReadonlyMap<Day, number> {
  const rows = view.rows<{ readonly day: Day; readonly positions: number }>(
    `SELECT day, positions FROM ranking_counts
     WHERE category = (SELECT number FROM ids WHERE kind = 'category' AND id = ?) AND day BETWEEN ? AND ? ORDER BY day`,
    [category, from, to],
  );
  return new Map(rows.map(({ day, positions }) => [day, positions]));
}

export interface RankedQuery extends DayRange {
  readonly category: string;
  /** Positions per day, ties counted once. */
  readonly top: number;
}

interface RankedRow extends CheckedText {
  readonly model: string;
  readonly rank: number;
  readonly validFrom: Day;
  readonly validTo: Day;
}

/** JSON text of points, ascending by date, rank and model (specification "Rankings history"). */
export function rankedPoints(view: View, query: RankedQuery): readonly JsonText[] {
  const { category, top, from, to } = query;
  const rows = view.checkedRows<RankedRow>(
    `SELECT m.id AS model, CAST(value AS INTEGER) AS rank, valid_from AS validFrom, valid_to AS validTo,
       value || payload AS text, "check"
     FROM intervals i INDEXED BY intervals_top JOIN ids m ON m.kind = 'model' AND m.number = i.model
     WHERE i.kind = 'ranking' AND series = (SELECT number FROM ids WHERE kind = 'category' AND id = ?)
       AND CAST(value AS INTEGER) <= ${TOP_POSITIONS_MAX} AND CAST(value AS INTEGER) <= ? AND valid_from <= ? AND valid_to >= ?
     ORDER BY rank, i.model`,
    [category, top, to, from],
  );
  const id = JSON.stringify(category);
  return [...readPositions(view, category, query)].flatMap(([day, positions]) =>
    rows
      .filter(({ validFrom, validTo }) => validFrom <= day && day <= validTo)
      .map(({ model, rank, text }) => {
        const payload = text.slice(String(rank).length + 1);
        return (
          `{"date":"${day}","value":${rank},"model_id":${JSON.stringify(model)},"category_id":${id},` +
          `"payload":{"positions":${positions},${payload},"source":"capture"}`
        );
      }),
  );
}
