import { expect, test } from 'vitest';
import { priceSeries, rankSeriesOfCategory, rankSeriesOfModel, SERIES_MAX } from './history-chart.tsx';

const DAYS = ['2026-06-01', '2026-06-02', '2026-06-03'] as const;
const [FIRST, SECOND, THIRD] = DAYS;

test('prices are two lines, which stop where one of them is not named', () => {
  const points = [
    { date: FIRST, value: 1, payload: { input_per_million: 1, output_per_million: 4 } },
    { date: SECOND, value: 1, payload: { input_per_million: 1, output_per_million: null } },
  ];
  expect(priceSeries(points)).toEqual([
    { name: 'Input', intervals: [{ from: FIRST, to: SECOND, value: 1 }] },
    {
      name: 'Output',
      intervals: [
        { from: FIRST, to: FIRST, value: 4 },
        { from: SECOND, to: SECOND, value: null },
      ],
    },
  ]);
});

test('a model has a line for each category, the best one first, as many as a chart tells apart', () => {
  const points = DAYS.flatMap((date) => [
    { date, value: 3, category_id: 'text', payload: {} },
    { date, value: 1, category_id: 'code', payload: {} },
  ]);
  const rankings = [
    { category: 'text', rank: 3 },
    { category: 'code', rank: 1 },
  ];
  expect(rankSeriesOfModel(points, rankings)).toEqual([
    { name: 'code', intervals: [{ from: FIRST, to: THIRD, value: 1 }] },
    { name: 'text', intervals: [{ from: FIRST, to: THIRD, value: 3 }] },
  ]);
  const many = Array.from({ length: 9 }, (_, i) => ({ category: `c${i}`, rank: i + 1 }));
  expect(rankSeriesOfModel([], many)).toHaveLength(SERIES_MAX);
});

test('a category has a line for each of those who stand first now, over the days on which they did', () => {
  const points = [
    { date: FIRST, value: 1, model_id: 'b', payload: {} },
    { date: FIRST, value: 2, model_id: 'left', payload: {} },
    { date: SECOND, value: 1, model_id: 'a', payload: {} },
    { date: SECOND, value: 2, model_id: 'b', payload: {} },
  ];
  const models = [
    { id: 'a', name: 'A' },
    { id: 'b', name: 'B' },
  ];
  expect(rankSeriesOfCategory(points, models)).toEqual([
    { name: 'A', intervals: [{ from: SECOND, to: SECOND, value: 1 }] },
    {
      name: 'B',
      intervals: [
        { from: FIRST, to: FIRST, value: 1 },
        { from: SECOND, to: SECOND, value: 2 },
      ],
    },
  ]);
  const many = Array.from({ length: 9 }, (_, i) => ({ id: `m${i}`, name: `M${i}` }));
  expect(rankSeriesOfCategory([], many)).toHaveLength(SERIES_MAX);
});
