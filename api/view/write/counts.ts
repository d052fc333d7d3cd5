import { type Day, dayNumber } from '../../../runtime/day.ts';
import { OPEN } from '../schema.ts';
import type { Writer } from './writer.ts';

/**
 * Counts how many models each category ranked on captured days. It adds up starts and ends, so the cost depends on intervals, not on
 * days.
 *
 * @param days later than those that the view has, ascending
 */
export function countRankings({ view }: Writer, days: readonly Day[]): void {
  const numbers = days.map(dayNumber);
  const [first] = numbers;
  if (first === undefined) return;
  view
    .prepare(
      `INSERT INTO ranking_counts
       WITH touching AS (SELECT series, max(valid_from, @first) AS valid_from, valid_to FROM intervals
           WHERE kind = 'ranking' AND valid_to >= @first),
         steps AS (SELECT series, valid_from AS day, 1 AS step FROM touching
           UNION ALL SELECT series, valid_to + 1, -1 FROM touching WHERE valid_to < ${OPEN}),
         daily AS (SELECT series, day, sum(step) AS step FROM steps GROUP BY series, day),
         running AS (SELECT series, day, sum(step) OVER (PARTITION BY series ORDER BY day) AS positions,
           lead(day, 1, ${OPEN}) OVER (PARTITION BY series ORDER BY day) AS next FROM daily)
       SELECT series, d.value, positions FROM json_each(@days) d JOIN running ON d.value >= day AND d.value < next WHERE positions > 0`,
    )
    .run({ first, days: JSON.stringify(numbers) });
}
