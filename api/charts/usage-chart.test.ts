import { expect, test } from 'vitest';
import { countOf, drawn, elementsOf, tableRows } from '../../test/support/charts/drawings.ts';
import { UsageChart, type UsageDay } from './usage-chart.tsx';

const span = { id: 'units', from: '2026-11-16', to: '2026-11-20' };
const days: readonly UsageDay[] = [
  { day: '2026-11-16', units: 250, limit: 250, refused: 62 },
  { day: '2026-11-18', units: 812, limit: 1000, refused: 0 },
  { day: '2026-11-20', units: 30, limit: 1000, refused: 0 },
];

const draw = (props: Partial<Parameters<typeof UsageChart>[0]> = {}) => drawn(UsageChart({ ...span, days, ...props }));

/** The drawn rectangles of a class, each with its height in pixels. */
function heightsOf(html: string, style: string): readonly number[] {
  const rects = elementsOf(html.replace(/<ul.*?<\/ul>/s, '')).filter((one) => one.startsWith(`<rect class="${style}"`));
  return rects.map((rect) => Number(/ height="([\d.]+)"/.exec(rect)?.[1]));
}

test('every day tells its values, and a day without any counts as zero', () => {
  const html = draw();
  expect([...html.matchAll(/<title>(.*?)<\/title>/g)].map(([, text]) => text)).toEqual([
    '16 Nov 2026 · 250 of 250 units · 62 refused',
    '17 Nov 2026 · no units',
    '18 Nov 2026 · 812 of 1,000 units',
    '19 Nov 2026 · no units',
    '20 Nov 2026 · 30 of 1,000 units',
  ]);
  expect(tableRows(html)[4]).toBe('16 Nov 2026 | 250 | 250 | 62');
  expect(tableRows(html)[3]).toBe('17 Nov 2026 | 0 | – | 0');
});

test('bars are as high as what was used, and what was refused stands on top', () => {
  const html = draw();
  const [first = 0, second = 0] = heightsOf(html, 'chart-used');
  expect(second / first).toBeCloseTo(812 / 250, 2);
  expect(heightsOf(html, 'chart-refused')[0]).toBeCloseTo((first * 62) / 250, 1);
});

test('the summary tells the span, the sum, the most, and what was refused', () => {
  const summary = '16 to 20 Nov 2026: 1,092 units, most on 18 Nov (812). Refused beyond the limit: 62 requests.';
  expect(draw()).toContain(`<span class="chart-summary" id="units-summary">${summary}</span>`);
  expect(draw()).toContain('role="img" aria-labelledby="units-title units-summary"');
});

test('today is told from the days that are over', () => {
  const html = draw({ today: '2026-11-20' });
  expect(heightsOf(html, 'chart-unfinished')).toHaveLength(1);
  expect(html).toContain('20 Nov 2026 · 30 of 1,000 units · not over yet');
  expect(tableRows(html)[0]).toMatch(/^20 Nov 2026, not over yet/);
  expect(heightsOf(draw(), 'chart-unfinished')).toHaveLength(0);
});

test('the limit is a line with its number, which stops where it is not known', () => {
  const html = draw();
  const [, line = ''] = /<path class="chart-limit" d="([^"]*)"/.exec(html) ?? [];
  expect(countOf(line, 'M')).toBe(3);
  expect(html).toContain('>limit 1,000</text>');
});

test('a limit far above what was used is told in words and leaves the bars their height', () => {
  const html = draw({ days: [{ day: '2026-11-18', units: 12, limit: 50_000, refused: 0 }] });
  expect(html).toContain('↑ limit 50,000 a day, above this chart');
  expect(html).not.toContain('<path class="chart-limit"');
  expect(heightsOf(html, 'chart-used')[0]).toBeGreaterThan(100);
});

test('where nothing was used, the summary says so and the limit is drawn', () => {
  const html = draw({ days: [{ day: '2026-11-18', units: 0, limit: 250, refused: 0 }] });
  expect(html).toContain('nothing used yet.');
  expect(html).toContain('<path class="chart-limit"');
});
