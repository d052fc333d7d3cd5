import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { useViewFiles, type ViewDatabase } from '../../../test/support/api/view-file.ts';
import type { View } from '../../view/view.ts';
import { ScoreCounts, type ScoreRange } from './score-counts.ts';
import { planScores, type ScoreSearch } from './score-plan.ts';

const openView = useViewFiles();

interface Score {
  readonly source: number | null;
  readonly day: number | null;
  readonly value: number;
}

/** As a writer of views groups scores. */
function insertValues(database: ViewDatabase, scores: readonly Score[]): void {
  const insert = database.prepare('INSERT INTO score_values VALUES (?, ?, ?, ?)');
  for (const group of Map.groupBy(scores, ({ source, day }) => `${source} ${day}`).values()) {
    const sorted = Buffer.from(Float64Array.from(group, ({ value }) => value).sort().buffer);
    insert.run(group[0]?.source, group[0]?.day, sorted, crc32(sorted));
  }
}

const anyValue = fc.oneof(
  fc.integer({ min: -2, max: 3 }),
  fc.constantFrom(-0, 0.1, 1e300, -1e300, 5e-324),
  fc.double({ noNaN: true }),
);
const anyNumber = fc.integer({ min: 1, max: 3 });
const anyDay = fc.integer({ min: 0, max: 4 });
const scoreArbitrary = fc.record({
  source: fc.option(anyNumber),
  day: fc.option(anyDay),
  value: anyValue,
});
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const rangeArbitrary = fc.record({
  source: maybe(fc.integer({ min: -1, max: 4 })),
  minValue: maybe(anyValue),
  maxValue: maybe(anyValue),
  fromDay: maybe(fc.integer({ min: -1, max: 5 })),
  toDay: maybe(fc.integer({ min: -1, max: 5 })),
});

test('scores are counted as one by one', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(scoreArbitrary, { maxLength: 60 }),
      fc.array(rangeArbitrary, { maxLength: 20 }),
      async (scores, ranges) => {
        const view = await openView((database) => insertValues(database, scores));
        const counts = ScoreCounts.load(view);
        for (const range of ranges)
          expect(counts.count(range)).toBe(scores.filter((score) => isIn(range, score)).length);
        await view.retire();
      },
    ),
  );
});

function isIn(
  { source, minValue = -Infinity, maxValue = Infinity, fromDay, toDay }: ScoreRange,
  score: Score,
): boolean {
  const isOfSource = source === undefined || score.source === source;
  const isOfDays =
    (fromDay === undefined && toDay === undefined) ||
    (score.day !== null && score.day >= (fromDay ?? -Infinity) && score.day <= (toDay ?? Infinity));
  return isOfSource && isOfDays && score.value >= minValue && score.value <= maxValue;
}

test('values that are not what was written are damage', async () => {
  const view = await openView((database) => {
    insertValues(database, [{ source: 1, day: 1, value: 1 }]);
    database.exec('UPDATE score_values SET "check" = "check" + 1');
  });
  expect(() => ScoreCounts.load(view)).toThrow('the data is being loaded again');
});

const SCORES = 1_000_000;
const BY_KEY: ScoreSearch = { source: undefined, model: undefined, benchmark: undefined, order: 'key' };
const PAGE = { limit: 100 };

/** A million scores of 200 days. Those of the first 100 days have the lower half of the values; one in a thousand is of the source `rare`. */
async function openMillion(): Promise<View> {
  const scores = Array.from({ length: SCORES }, (_, at): Score => {
    const isOld = at % 2 === 0;
    return {
      source: at % 1000 === 0 ? RARE : OFFICIAL,
      day: isOld ? at % 100 : 100 + (at % 100),
      value: isOld ? at : SCORES + at,
    };
  });
  return openView((database) => {
    insertValues(database, scores);
    const insert = database.prepare(`INSERT INTO ids VALUES ('score source', ?, ?, 0)`);
    insert.run('official', OFFICIAL);
    insert.run('rare', RARE);
  });
}

const [OFFICIAL, RARE] = [1, 2];

describe('of a million scores', () => {
  const plans: readonly (readonly [string, Partial<ScoreSearch>, object])[] = [
    ['all by key', {}, { index: 'sqlite_autoindex_scores_1', total: SCORES, isLong: false }],
    ['all by value', { order: 'value' }, { index: 'scores_value', total: SCORES, isLong: false }],
    ['all by day', { order: 'measured_at' }, { index: 'scores_measured_at', total: SCORES, isLong: false }],
    [
      'half of the values by key',
      { minValue: SCORES },
      { index: 'sqlite_autoindex_scores_1', total: SCORES / 2, isLong: false },
    ],
    ['few values by key', { maxValue: 2000 }, { index: 'scores_value', total: 1001, isLong: false }],
    [
      'few values by day',
      { maxValue: 2000, order: 'measured_at' },
      { index: 'scores_value', total: 1001, isLong: false },
    ],
    ['one day by value', { fromDay: 2, toDay: 2, order: 'value' }, { index: 'scores_value', total: 10_000 }],
    ['a day and few values by key', { fromDay: 2, toDay: 2, maxValue: 20_000 }, { index: 'scores_measured_at' }],
    ['a rare source by key', { source: 'rare' }, { index: 'scores_source', total: 1000, isLong: false }],
    [
      'a rare source by value',
      { source: 'rare', order: 'value' },
      { index: 'scores_source', total: 1000, isLong: false },
    ],
    ['a usual source by value', { source: 'official', order: 'value' }, { index: 'scores_value', total: 999_000 }],
    ['a source without scores', { source: 'none' }, { index: 'scores_source', total: 0, isLong: false }],
    ['none of many on either side', { fromDay: 100, maxValue: SCORES - 1 }, { total: 0, isLong: true }],
    ['none of few on one side', { fromDay: 199, maxValue: SCORES - 1 }, { index: 'scores_measured_at', total: 0 }],
    ['a model', { model: 'm', source: 'rare' }, { index: undefined, total: undefined, isLong: false }],
    ['a benchmark by key', { benchmark: 'b' }, { index: 'scores_benchmark', total: undefined, isLong: false }],
    ['a benchmark by value', { benchmark: 'b', order: 'value' }, { index: 'scores_benchmark_value', isLong: false }],
  ];

  test('each search is planned by what it takes', async () => {
    const view = await openMillion();
    for (const [name, search, expected] of plans) {
      expect(planScores(view, { ...BY_KEY, ...search }, PAGE), name).toMatchObject(expected);
    }
  });
});
