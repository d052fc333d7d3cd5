import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addDays, type Day } from '../../schemas/day.ts';
import { expandPoints, type Interval } from './history-points.ts';

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
      return { series, validFrom: day(from), validTo, value: String(index), payload: '{"a":1}', source: 'capture' };
    });
  });
}

/** Nothing was captured before this day, nothing is reconstructed from it on. */
const FIRST_CAPTURED = 20;

const backfillArbitrary = fc.option(fc.tuple(fc.nat(8), fc.nat(8)), { nil: undefined }).map((known): Interval[] => {
  if (known === undefined) return [];
  const [from, length] = known;
  const validTo = day(Math.min(from + length, FIRST_CAPTURED - 1));
  return [{ series: 'p', validFrom: day(from), validTo, value: '9', payload: '{"a":1}', source: 'backfill' }];
});

const inputArbitrary = fc.record({
  backfilled: backfillArbitrary,
  p: seriesArbitrary('p'),
  q: seriesArbitrary('q'),
  captured: fc.subarray(Array.from({ length: 40 }, (_, i) => day(FIRST_CAPTURED + i))),
  range: fc.tuple(fc.nat(70), fc.nat(70)).map(([a, b]) => [day(Math.min(a, b)), day(Math.max(a, b))] as const),
});

test('points are those that looking up every day of every series one by one would give', () => {
  fc.assert(
    fc.property(inputArbitrary, ({ backfilled, p, q, captured, range: [from, to] }) => {
      const intervals = [...backfilled, ...p, ...q];
      const expected: string[] = [];
      for (let at = from; at <= to; at = addDays(at, 1)) {
        for (const series of ['p', 'q']) {
          const holding = intervals.find((interval) => {
            const hasPoints = interval.source === 'backfill' || captured.includes(at);
            const isHeld = interval.validFrom <= at && (interval.validTo === null || at <= interval.validTo);
            return interval.series === series && hasPoints && isHeld;
          });
          if (holding !== undefined) expected.push(`${at} ${holding.value} ${holding.source}`);
        }
      }
      const points = expandPoints({
        kind: 'pricing',
        intervals,
        from,
        to,
        capturedDays: captured,
        positionsOf: () => 0,
      });
      const parsed = points.map((text) => JSON.parse(text));
      expect(parsed.map(({ date, value, source }) => `${date} ${value} ${source}`)).toEqual(expected);
    }),
  );
});
