import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addDays, type Day } from '../../schemas/day.ts';
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
function lineOf({ validFrom, validTo, value, source }: Interval): string {
  return `${validFrom}${validTo ?? '9999-12-31'}${source[0]},"value":${value},"n":\t,"source":"${source}"}\n`;
}

/** A series' text in parts, as a long one lies in several slices. */
function textsOf(series: string, intervals: readonly Interval[], parts: number) {
  const size = Math.ceil(intervals.length / parts) || 1;
  return Array.from({ length: parts }, (_, part) => {
    const some = intervals.slice(part * size, (part + 1) * size);
    return { series, text: Buffer.from(some.map(lineOf).join('')) };
  });
}

test('points are those that looking up every day of every series one by one would give', () => {
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
          expected.push({ date: at, value: Number(holding.value), n: nOf(series, at), source: holding.source });
        }
      }
      const texts = [...textsOf('p', [...backfilled, ...p], parts), ...textsOf('q', q, parts)];
      const points = expandPoints({ texts, from, to, capturedDays: captured, positionsOf: nOf }, FRAME);
      expect(JSON.parse(String(points))).toEqual(expected);
    }),
  );
});

const FRAME = { head: Buffer.from('['), tail: Buffer.from(']') };

/** Another number for each series and day. */
function nOf(series: string, at: Day): number {
  return Number(at.replaceAll('-', '')) * (series === 'p' ? 1 : 2);
}

test('a text that is cut off is told, not answered from', () => {
  const text = Buffer.from('2026-01-012026-01-02c,"value":1}');
  const input = { from: START, to: START, capturedDays: [START], positionsOf: nOf };
  expect(() => expandPoints({ ...input, texts: [{ series: 'p', text }] }, FRAME)).toThrow('cut off');
});
