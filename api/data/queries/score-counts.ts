import { crc32 } from 'node:zlib';
import { AppError } from '../../../runtime/errors.ts';
import { partitionPoint } from '../../../runtime/partition-point.ts';
import { doublesIn } from '../../view/schema.ts';
import type { View } from '../../view/view.ts';

/** Inclusive bounds; days since 1970. Scores without a day match no bound of days. */
export interface ScoreRange {
  /** Number of the source; undefined: any. */
  readonly source?: number | undefined;
  readonly minValue?: number | undefined;
  readonly maxValue?: number | undefined;
  readonly fromDay?: number | undefined;
  readonly toDay?: number | undefined;
}

interface Group {
  readonly source: number | null;
  readonly day: number | null;
  /** Ascending. */
  readonly values: Float64Array;
}

/** Counts scores by sorted values per source and day, in memory: 8 bytes per score. */
export class ScoreCounts {
  readonly #groups: readonly Group[];

  private constructor(groups: readonly Group[]) {
    this.#groups = groups;
  }

  /** Throws as {@link View.rows}. */
  static load(view: View): ScoreCounts {
    const rows = view.rows<{ source: number | null; day: number | null; sorted: Buffer; check: number }>(
      'SELECT source, measured_at AS day, sorted, "check" FROM score_values',
    );
    const groups = view.undamaged(() =>
      rows.map(({ source, day, sorted, check }) => {
        if (crc32(sorted) !== check) throw new AppError('corrupt', 'values of scores are not what was written');
        return { source, day, values: doublesIn(sorted) };
      }),
    );
    return new ScoreCounts(groups);
  }

  count({ source, minValue = -Infinity, maxValue = Infinity, fromDay, toDay }: ScoreRange): number {
    const isDated = fromDay !== undefined || toDay !== undefined;
    let total = 0;
    for (const group of this.#groups) {
      if (source !== undefined && group.source !== source) continue;
      if (isDated && !isWithin(group.day, fromDay, toDay)) continue;
      const upTo = partitionPoint(group.values, (value) => value <= maxValue);
      const below = partitionPoint(group.values, (value) => value < minValue);
      total += Math.max(upTo - below, 0);
    }
    return total;
  }
}

function isWithin(day: number | null, from = -Infinity, to = Infinity): boolean {
  return day !== null && day >= from && day <= to;
}
