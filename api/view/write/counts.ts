import type { Day } from '../../../runtime/day.ts';
import type { Writer } from './writer.ts';

/**
 * Counts how many models each category ranked on captured days that the view does not have yet. Steps up and down are added up, so the
 * cost is that of the intervals that touch these days, not of intervals times days.
 */
export function countRankings({ view }: Writer, days: readonly Day[]): void {
  const [first] = days;
  if (first === undefined) return;
  view
    .prepare(
      `INSERT INTO ranking_counts
       WITH touching AS (SELECT series, max(valid_from, @first) AS valid_from, valid_to FROM intervals
           WHERE kind = 'ranking' AND valid_to >= @first),
         steps AS (SELECT series, valid_from AS day, 1 AS step FROM touching
           UNION ALL SELECT series, date(valid_to, '+1 day'), -1 FROM touching WHERE valid_to < '9999-12-31'),
         daily AS (SELECT series, day, sum(step) AS step FROM steps GROUP BY series, day),
         running AS (SELECT series, day, sum(step) OVER (PARTITION BY series ORDER BY day) AS positions,
           lead(day, 1, '9999-12-31') OVER (PARTITION BY series ORDER BY day) AS next FROM daily)
       SELECT series, d.value, positions FROM json_each(@days) d JOIN running ON d.value >= day AND d.value < next WHERE positions > 0`,
    )
    .run({ first, days: JSON.stringify(days) });
}
