import { expect, test } from 'vitest';
import { countOf, drawn, tableRows } from '../../test/support/charts/drawings.ts';
import { HistoryChart, RankChart } from './history-chart.tsx';

const span = { id: 'price', from: '2026-01-01', to: '2026-01-10' };
const intervals = [
  { from: '2026-01-01', to: '2026-01-03', value: 3 },
  { from: '2026-01-04', to: '2026-01-05', value: 2.5 },
  { from: '2026-01-08', to: '2026-01-10', value: 2.5 },
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
  const [, line = ''] = /<path class="chart-line chart-look-0" d="([^"]*)"/.exec(draw()) ?? [];
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
  expect(html).toContain('first seen on 8 Jan 2026');
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
