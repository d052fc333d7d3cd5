import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addDays } from '../../runtime/day.ts';
import {
  countOf,
  drawn,
  elementsOf,
  findBadAttributes,
  someDay,
  someIntervals,
  someValue,
  tableRows,
} from '../../test/support/charts/drawings.ts';
import { HistoryChart, RankChart } from './history-chart.tsx';
import { changesOf, gapsOf, isHeld, shownIntervals } from './intervals.ts';
import { MARKS_MAX } from './marks.tsx';
import { PLOT_BOTTOM, PLOT_TOP } from './scales.ts';
import { UsageChart } from './usage-chart.tsx';

/** What a person may call a thing. */
const someName = fc.oneof(fc.constantFrom('<script>alert(1)</script>', '"><b onload=x', "a'&amp;b", ''), fc.string());

const someHistory = someDay.chain((from) =>
  fc.record({
    from: fc.constant(from),
    to: fc.integer({ min: -3, max: 500 }).map((days) => addDays(from, days)),
    series: fc.array(fc.record({ name: someName, intervals: someIntervals(from) }), { maxLength: 8 }),
    window: fc.option(
      fc.integer({ min: -50, max: 500 }).map((days) => ({ from: addDays(from, days), months: 12 })),
      { nil: undefined },
    ),
    fromZero: fc.boolean(),
    title: someName,
  }),
);

const someUsage = someDay.chain((from) =>
  fc.record({
    from: fc.constant(from),
    to: fc.integer({ min: 0, max: 100 }).map((days) => addDays(from, days)),
    today: fc.nat(100).map((days) => addDays(from, days)),
    days: fc.uniqueArray(
      fc.record({
        day: fc.integer({ min: -5, max: 105 }).map((days) => addDays(from, days)),
        units: someValue,
        refused: someValue,
        limit: fc.option(someValue),
      }),
      { selector: ({ day }) => day },
    ),
    title: someName,
  }),
);

type History = typeof someHistory extends fc.Arbitrary<infer T> ? T : never;

function historyOf({ window, ...history }: History) {
  return drawn(HistoryChart({ ...history, ...(window && { window }), id: 'a', unit: 'points' }));
}

/** All kinds of charts over one history. */
function allOf(history: History): string {
  const { from, to, title, series, window } = history;
  return historyOf(history) + drawn(RankChart({ from, to, title, series, ...(window && { window }), id: 'b' }));
}

/** The same with names that hold nothing special. */
function withPlainNames(history: History): History {
  return { ...history, title: 't', series: history.series.map((one, i) => ({ ...one, name: `s${i}` })) };
}

/** A history's days: to its first one at least. */
const lastOf = ({ from, to }: History) => (to < from ? from : to);

describe('whatever the data', () => {
  test('no attribute is without a number; names are text alone, and nothing is drawn that the policy forbids', () => {
    fc.assert(
      fc.property(someHistory, someUsage, (history, usage) => {
        const named = allOf(history);
        const plain = allOf(withPlainNames(history));
        const used = drawn(UsageChart({ ...usage, id: 'u', title: 't' }));
        expect(findBadAttributes(plain + used)).toEqual([]);
        expect(elementsOf(named)).toEqual(elementsOf(plain));
        const all = elementsOf(named + drawn(UsageChart({ ...usage, id: 'u' })));
        expect(all.filter((element) => /^<(?:script|style)| (?:style|on\w+)=/.test(element))).toEqual([]);
      }),
    );
  });

  test('every change has a mark, which lies in the plot, and the table has every interval and every gap', () => {
    fc.assert(
      fc.property(someHistory, (history) => {
        const html = historyOf(history);
        const shown = history.series.map(({ intervals }) => shownIntervals(intervals, history.from, lastOf(history)));
        const places = [...html.matchAll(/<use [^>]*x="([\d.]+)%" y="([\d.]+)"/g)];
        expect([places.length, countOf(html, '<use')]).toEqual(Array(2).fill(shown.flatMap(changesOf).length));
        for (const [, x, y] of places) {
          expect(Number(x) >= 0 && Number(x) < 100).toBe(true);
          expect(Number(y) >= PLOT_TOP && Number(y) <= PLOT_BOTTOM).toBe(true);
        }
        const gaps = shown.flatMap((one) => gapsOf(one, history.from, lastOf(history)));
        expect(tableRows(html)).toHaveLength(shown.flat().filter(isHeld).length + gaps.length);
      }),
    );
  });
});

test('more changes than are marked are counted in the summary, and all of them are in the table', () => {
  const intervals = Array.from({ length: MARKS_MAX + 30 }, (_, i) => {
    const day = addDays('2026-01-01', i);
    return { from: day, to: day, value: i % 7 };
  });
  const series = [{ name: 'Input', intervals }];
  const html = drawn(HistoryChart({ id: 'h', title: 'T', unit: 'u', series, from: '2026-01-01', to: '2026-05-30' }));
  expect(countOf(html, '<use')).toBe(MARKS_MAX);
  expect(html).toContain('Input: only the 120 latest of 150 changes have a mark.');
  expect(tableRows(html)).toHaveLength(150);
});
