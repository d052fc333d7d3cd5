import fc from 'fast-check';
import { expect, test } from 'vitest';
import { intervalsIn } from './history-line.ts';
import { findRanges, Marker } from './history-marks.ts';

/** Ids of which one begins another, that differ in their last byte, and whose UTF-16 has another order than their UTF-8. */
const IDS = ['a', 'a b', 'a/b', 'aa', 'ab', 'b', '\u{ff5e}', '\u{1f600}'];
const DAYS = ['2026-01-01', '2026-01-02', '2026-01-03', '2026-01-04', '2026-01-05', '2026-01-06'];

const byBytes = (left: string, right: string) => Buffer.compare(Buffer.from(left), Buffer.from(right));

/** The first and last days of intervals that don't overlap. */
const stretchesArbitrary = fc
  .uniqueArray(fc.constantFrom(...DAYS), { minLength: 1 })
  .map((cuts) => [...cuts].sort())
  .map((cuts) => cuts.flatMap((from, i) => (i % 2 === 0 ? [{ from, to: cuts[i + 1] ?? '9999-12-31' }] : [])));

const linesArbitrary = fc
  .array(fc.tuple(fc.constantFrom(...IDS), fc.constantFrom(...IDS, ''), stretchesArbitrary, fc.nat(40)))
  .map((all) => {
    const series = new Map(all.map((one) => [`${one[0]}\t${one[1]}`, one]));
    return [...series.values()].flatMap(([model, name, ranges, length]) =>
      ranges.map((stretch) => ({ model, series: name, ...stretch, payload: `{"x":"${'x'.repeat(length)}"}` })),
    );
  })
  .map((lines) =>
    lines.sort((a, b) => byBytes(a.model, b.model) || byBytes(a.series, b.series) || byBytes(a.from, b.from)),
  );

const rangeArbitrary = fc
  .tuple(fc.constantFrom(...DAYS), fc.constantFrom(...DAYS))
  .map(([one, other]) => (one < other ? { from: one, to: other } : { from: other, to: one }));

const wantedArbitrary = fc.record({
  model: fc.constantFrom(...IDS, 'nobody'),
  series: fc.constantFrom(undefined, '', ...IDS),
  range: rangeArbitrary,
});

test('what is found from mark to mark is what a scan of every line finds, whatever the blocks and chunks', () => {
  fc.assert(
    fc.property(
      linesArbitrary,
      fc.array(wantedArbitrary, { minLength: 5 }),
      fc.integer({ min: 1, max: 200 }),
      fc.integer({ min: 1, max: 300 }),
      (lines, wishes, blockBytes, chunkBytes) => {
        const text = Buffer.from(
          lines.map((line) => `${line.model}\t${line.series}\t${line.from}${line.to}c1\t${line.payload}\n`).join(''),
        );
        const marker = new Marker(blockBytes);
        for (let at = 0; at < text.length; at += chunkBytes) marker.add(text.subarray(at, at + chunkBytes));
        for (const { model, series, range } of wishes) {
          const query = { model, series, ...range };
          const ranges = findRanges({ marks: marker.marks, bytes: text.length }, query);
          const found = ranges.flatMap(({ from, to }) => intervalsIn(text.subarray(from, to), query));
          const expected = lines.filter(
            (line) =>
              line.model === model &&
              (series === undefined || line.series === series) &&
              line.from <= range.to &&
              line.to >= range.from,
          );
          const seen = found.map((one) => ({
            series: one.series,
            from: one.validFrom,
            to: one.validTo,
            payload: one.text.toString('utf8', one.payloadFrom, one.payloadTo),
          }));
          expect(seen).toEqual(expected.map(({ model: _, ...line }) => line));
        }
      },
    ),
  );
});

test('no more is read of a text than the blocks of the requested intervals, and the rest of the last line', () => {
  const lineOf = (n: number) => `m${String(n).padStart(4, '0')}\ts\t2026-01-019999-12-31c1\t{}\n`;
  const text = Buffer.from(Array.from({ length: 1000 }, (_, n) => lineOf(n)).join(''));
  const marker = new Marker(256);
  marker.add(text);
  const range = { from: '2026-01-01', to: '2026-01-01' };
  for (let n = 0; n < 1000; n += 7) {
    const query = { model: `m${String(n).padStart(4, '0')}`, series: undefined, ...range };
    const ranges = findRanges({ marks: marker.marks, bytes: text.length }, query);
    expect(ranges.reduce((sum, { from, to }) => sum + to - from, 0)).toBeLessThan(2 * (256 + lineOf(0).length));
  }
});

test('a long series is read only where its intervals may hold in the range', () => {
  const days = Array.from({ length: 365 }, (_, n) => new Date(Date.UTC(2026, 0, 1 + n)).toISOString().slice(0, 10));
  const text = Buffer.from(days.map((day) => `m\ts\t${day}${day}c1\t{}\n`).join(''));
  const marker = new Marker(512);
  marker.add(text);
  const query = { model: 'm', series: undefined, from: '2026-06-01', to: '2026-06-01' };
  const ranges = findRanges({ marks: marker.marks, bytes: text.length }, query);
  // And the last stretch of a text, of which nothing tells where it ends.
  expect(ranges.at(-1)?.to).toBe(text.length);
  expect(ranges).toHaveLength(2);
  const found = ranges.flatMap(({ from, to }) => intervalsIn(text.subarray(from, to), query));
  expect(found.map(({ validFrom }) => validFrom)).toEqual(['2026-06-01']);
});

test('a text that is cut off is an error', () => {
  const query = { model: 'm', series: 's', from: '2026-01-01', to: '2026-01-01' };
  expect(() => intervalsIn(Buffer.from('m\ts\t2026-01-012026-01-02c1\t{}'), query)).toThrow('cut off');
});
