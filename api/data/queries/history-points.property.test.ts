import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addDays, type Day } from '../../../runtime/day.ts';
import { intervalsIn } from '../../view/text/history-line.ts';
import { expandPoints } from './history-points.ts';

interface Interval {
  readonly series: string;
  readonly validFrom: Day;
  /** Null: still open. */
  readonly validTo: Day | null;
  readonly value: string;
  readonly source: 'capture' | 'backfill';
}

const START: Day = '2026-01-01';
const day = (offset: number): Day => addDays(START, offset);

/** Intervals of one series that don't overlap: lengths and gaps; the last one may be open. */
function seriesArbitrary(series: string) {
  const stretch = fc.record({ gap: fc.nat(3), length: fc.nat(6) });
  return fc.tuple(fc.array(stretch, { maxLength: 6 }), fc.boolean()).map(([stretches, isOpen]) => {
    let at = FIRST_CAPTURED;
    return stretches.map(({ gap, length }, index): Interval => {
      const [from, to] = [at + gap, at + gap + length];
      at = to + 1;
      const isLast = index === stretches.length - 1;
      const validTo = isOpen && isLast ? null : day(to);
      return { series, validFrom: day(from), validTo, value: String(index), source: 'capture' };
    });
  });
}

/** Nothing was captured before this day, nothing is reconstructed from it on. */
const FIRST_CAPTURED = 20;

const backfillArbitrary = fc.option(fc.tuple(fc.nat(8), fc.nat(8)), { nil: undefined }).map((known): Interval[] => {
  if (known === undefined) return [];
  const [from, length] = known;
  const validTo = day(Math.min(from + length, FIRST_CAPTURED - 1));
  return [{ series: 'p', validFrom: day(from), validTo, value: '9', source: 'backfill' }];
});

const inputArbitrary = fc.record({
  backfilled: backfillArbitrary,
  p: seriesArbitrary('p'),
  q: seriesArbitrary('q'),
  captured: fc.subarray(Array.from({ length: 40 }, (_, i) => day(FIRST_CAPTURED + i))),
  range: fc.tuple(fc.nat(70), fc.nat(70)).map(([a, b]) => [day(Math.min(a, b)), day(Math.max(a, b))] as const),
  /** Into how many texts each series is cut. */
  parts: fc.integer({ min: 1, max: 3 }),
});

/** As a view's text has it. */
function lineOf({ series, validFrom, validTo, value, source }: Interval): string {
  return `m\t${series}\t${validFrom}${validTo ?? '9999-12-31'}${source[0]}${value}\t"n":1}\n`;
}

/** The intervals in a text of several parts, as a long one lies in several slices. */
function readAll(intervals: readonly Interval[], parts: number, { from, to }: { from: Day; to: Day }) {
  const size = Math.ceil(intervals.length / parts) || 1;
  return Array.from({ length: parts }, (_, part) => {
    const text = Buffer.from(
      intervals
        .slice(part * size, (part + 1) * size)
        .map(lineOf)
        .join(''),
    );
    return intervalsIn(text, { model: 'm', series: undefined, from, to });
  }).flat();
}

test('points are those that a lookup of every day of every series gives', () => {
  fc.assert(
    fc.property(inputArbitrary, ({ backfilled, p, q, captured, range: [from, to], parts }) => {
      const intervals = [...backfilled, ...p, ...q];
      const expected: unknown[] = [];
      for (let at = from; at <= to; at = addDays(at, 1)) {
        for (const series of ['p', 'q']) {
          const holding = intervals.find((interval) => {
            const hasPoints = interval.source === 'backfill' || captured.includes(at);
            const isHeld = interval.validFrom <= at && (interval.validTo === null || at <= interval.validTo);
            return interval.series === series && hasPoints && isHeld;
          });
          if (holding === undefined) continue;
          const payload = { positions: nOf(series, at), n: 1 };
          const { source } = holding;
          const value = Number(holding.value);
          expected.push({ date: at, value, benchmark_id: null, category_id: series, payload, source });
        }
      }
      const read = readAll(intervals, parts, { from, to });
      const input = { kind: 'ranking', intervals: read, from, to, capturedDays: captured, positionsOf: nOf } as const;
      const points = expandPoints(input, FRAME);
      expect(JSON.parse(String(points))).toEqual(expected);
    }),
  );
});

const FRAME = { head: Buffer.from('['), tail: Buffer.from(']') };

/** Another number for each series and day. */
function nOf(series: string, at: Day): number {
  return Number(at.replaceAll('-', '')) * (series === 'p' ? 1 : 2);
}
