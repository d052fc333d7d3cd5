import { expect, test } from 'vitest';
import { countOf, drawn, tableRows } from '../../test/support/charts/drawings.ts';
import {
  HistoryChart,
  priceSeries,
  RankChart,
  rankSeriesOfCategory,
  rankSeriesOfModel,
  SERIES_MAX,
} from './history-chart.tsx';

const held = (from: string, to: string, value: number | null) => ({ from, to, value });
const span = { id: 'price', from: '2026-01-01', to: '2026-01-10' };
const intervals = [
  held('2026-01-01', '2026-01-03', 3),
  held('2026-01-04', '2026-01-05', 2.5),
  held('2026-01-08', '2026-01-10', 2.5),
];

const draw = (props: Partial<Parameters<typeof HistoryChart>[0]> = {}) =>
  drawn(
    HistoryChart({
      ...span,
      title: 'Price',
      unit: 'USD per 1 M tokens',
      kind: 'money',
      series: [{ name: 'Input', intervals }],
      ...props,
    }),
  );

test('a line holds each value until it changes and stops at a gap', () => {
  const [, line = ''] = /<path class="chart-line chart-series-0" d="([^"]*)"/.exec(draw()) ?? [];
  expect(line).toBe('M0 0H300V31.67H500M700 31.67H1000');
});

test('each change is marked and told; where a value comes back after a gap nothing has changed', () => {
  const html = draw();
  expect([...html.matchAll(/<use [^>]*><title>(.*?)<\/title>/g)].map(([, text]) => text)).toEqual([
    'Input: $3.00 on 1 Jan 2026',
    'Input: $2.50 since 4 Jan 2026, before that $3.00',
  ]);
});

test('a gap is hatched, named in the legend and a row of the table', () => {
  const html = draw();
  expect(html).toContain('<rect class="chart-gap" x="50%"');
  expect(html).toContain('<span>no data</span>');
  expect(tableRows(html)).toEqual([
    '8 to 10 Jan 2026 | Input | $2.50',
    '6 to 7 Jan 2026 | Input | no data',
    '4 to 5 Jan 2026 | Input | $2.50',
    '1 to 3 Jan 2026 | Input | $3.00',
  ]);
});

test('days before the first value are blank, as nothing is missing there', () => {
  const html = draw({ series: [{ name: 'Input', intervals: intervals.slice(2) }] });
  expect(html).not.toContain('chart-gap');
  expect(html).toContain('first value on 8 Jan 2026');
});

test("what lies before the plan's window is shaded and labelled, where it begins with the chart that is said", () => {
  const from = (day: string) => draw({ window: { from: day, months: 12 } });
  expect(from('2026-01-06')).toContain('<rect class="chart-before" x="0" y="22" width="50%"');
  expect(from('2026-01-06')).toContain("before your plan's window</text>");
  expect(from(span.from)).toContain("your plan's window of 12 months begins 1 Jan 2026");
  expect(from('2025-01-01')).not.toContain('window');
});

test('series are told apart by line, mark and name, and the unit stands on the axis', () => {
  const html = draw({ series: ['Input', 'Output'].map((name) => ({ name, intervals })) });
  expect(countOf(html, 'href="#price-mark-0"')).toBe(2);
  expect(countOf(html, 'href="#price-mark-1"')).toBe(2);
  expect(html).toContain('<span>Output, last $2.50</span>');
  expect(html).toMatch(/<text class="chart-unit"[^>]*>USD per 1 M tokens<\/text>/);
});

test('the first rank stands on top, and how many were ranked is told', () => {
  const ranks = [
    { from: '2026-01-01', to: '2026-01-05', value: 1, ranked: 50 },
    { from: '2026-01-06', to: '2026-01-10', value: 12, ranked: 51 },
  ];
  const html = drawn(RankChart({ ...span, title: 'Rank', series: [{ name: 'text', intervals: ranks }] }));
  expect(html).toContain(' d="M0 0H500V');
  expect(html).toContain('text 12 of 51 at the end; best 1, worst 12; 1 change.');
  expect(html).toContain('text: 12 of 51 since 6 Jan 2026, before that 1 of 50');
});

const DAYS = ['2026-06-01', '2026-06-02', '2026-06-03'] as const;
const [FIRST, SECOND, THIRD] = DAYS;

test('prices are two lines, which stop where one of them is not named', () => {
  const points = [
    { date: FIRST, value: 1, payload: { input_per_million: 1, output_per_million: 4 } },
    { date: SECOND, value: 1, payload: { input_per_million: 1, output_per_million: null } },
  ];
  expect(priceSeries(points)).toEqual([
    { name: 'Input', intervals: [held(FIRST, SECOND, 1)] },
    { name: 'Output', intervals: [held(FIRST, FIRST, 4), held(SECOND, SECOND, null)] },
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
    { name: 'code', intervals: [held(FIRST, THIRD, 1)] },
    { name: 'text', intervals: [held(FIRST, THIRD, 3)] },
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
    { name: 'A', intervals: [held(SECOND, SECOND, 1)] },
    { name: 'B', intervals: [held(FIRST, FIRST, 1), held(SECOND, SECOND, 2)] },
  ]);
  const many = Array.from({ length: 9 }, (_, i) => ({ id: `m${i}`, name: `M${i}` }));
  expect(rankSeriesOfCategory([], many)).toHaveLength(SERIES_MAX);
});
