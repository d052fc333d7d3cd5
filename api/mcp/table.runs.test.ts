import { expect, test } from 'vitest';
import { runColumns, runsOf, table } from './table.ts';

const COLUMNS = { of: 'of', value: 'value' };
const point = (date: string, of: string, value: number | null) => ({ date, of, value });
const runs = (points: readonly ReturnType<typeof point>[]) => runsOf(points, COLUMNS, ({ of }) => String(of));

test('days in a row of one value are one row, of each series by itself', () => {
  const points = [
    point('2026-02-27', 'a', 1),
    point('2026-02-27', 'b', 5),
    point('2026-02-28', 'a', 1),
    point('2026-02-28', 'b', 6),
    point('2026-03-01', 'a', 1),
    point('2026-03-01', 'b', 6),
  ];
  expect(table(runColumns(COLUMNS), runs(points))).toBe(
    'from | to | of | value\n2026-02-27 | 2026-03-01 | a | 1\n2026-02-27 | 2026-02-27 | b | 5\n2026-02-28 | 2026-03-01 | b | 6',
  );
});

test('a day that was not recorded ends a row, so that none holds for a day without a point', () => {
  const found = runs([point('2026-06-01', 'a', null), point('2026-06-02', 'a', null), point('2026-06-04', 'a', null)]);
  expect(found.map(({ from, to }) => [from, to])).toEqual([
    ['2026-06-01', '2026-06-02'],
    ['2026-06-04', '2026-06-04'],
  ]);
});
