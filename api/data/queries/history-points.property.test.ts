import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addDays, type Day, dayNumber } from '../../../runtime/day.ts';
import { useViewFiles } from '../../../test/support/api/view-file.ts';
import { OPEN } from '../../view/schema.ts';
import { expandPoints, readIntervals } from './history-points.ts';

const openView = useViewFiles();

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
});

/** The intervals that a view with these ones, and with those of other models and kinds, finds within a range. */
async function readAll(intervals: readonly Interval[], range: { readonly from: Day; readonly to: Day }) {
  const view = await openView((database) => {
    const insert = database.prepare(`INSERT INTO intervals VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`);
    const addId = database.prepare('INSERT INTO ids VALUES (?, ?, ?, 1)');
    for (const [kind, id, number] of IDS) addId.run(kind, id, number);
    for (const { series, validFrom, validTo, value, source } of intervals) {
      const place = series === 'p' ? P : Q;
      const period = [dayNumber(validFrom), validTo === null ? OPEN : dayNumber(validTo), source];
      const add = (kind: string, model: number, shown: string) => {
        const text = `${shown}\t{"n":1}`;
        insert.run(kind, model, place, ...period, Number(shown), text, crc32(text));
      };
      add('ranking', MODEL, value);
      add('ranking', MODEL + 1, '77');
      add('pricing', MODEL, '78');
    }
  });
  const query = { model: 'm', kind: 'ranking', ...range } as const;
  const all = readIntervals(view, { ...query, series: undefined });
  const single = ['p', 'q'].flatMap((series) => readIntervals(view, { ...query, series }));
  expect(single).toEqual(all);
  await view.retire();
  return all;
}

const [MODEL, P, Q] = [5, 10, 20];
const IDS = [
  ['model', 'm', MODEL],
  ['model', 'other', MODEL + 1],
  ['category', 'p', P],
  ['category', 'q', Q],
  ['provider', 'q', P],
] as const;

test('points are those that a lookup of every day of every series gives', async () => {
  await fc.assert(
    fc.asyncProperty(inputArbitrary, async ({ backfilled, p, q, captured, range: [from, to] }) => {
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
      const read = await readAll(intervals, { from, to });
      const input = { kind: 'ranking', intervals: read, from, to, capturedDays: captured, positionsOf: nOf } as const;
      expect(JSON.parse(`[${expandPoints(input)}]`)).toEqual(expected);
    }),
  );
});

/** Another number for each series and day. */
function nOf(series: string, at: Day): number {
  return Number(at.replaceAll('-', '')) * (series === 'p' ? 1 : 2);
}
