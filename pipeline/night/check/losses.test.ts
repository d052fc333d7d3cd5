import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SourceSettingsSchema } from '../../source/source-settings.ts';
import { changesFrom, findUnusual, usualLoss } from './losses.ts';

const DEFAULTS = SourceSettingsSchema.parse({});

const Change = fc.double({ min: -1, max: 1, noNaN: true });
const Counts = fc.array(fc.integer({ min: 0, max: 5000 }), { maxLength: 40 });
const Count = fc.integer({ min: 1, max: 5000 });
const Counted = fc.tuple(Count, Counts);
const Spreads = fc.double({ min: 0, max: 20, noNaN: true });

/** Nights in which nothing changed. */
const quiet = (nights: number, count: number) => Array<number>(nights + 1).fill(count);

describe('what usually goes', () => {
  test('is the median and six spreads of the last nights, growth counted as less than nothing', () => {
    const changes = [0, 0.01, -0.01, 0.02, -0.02, 0.03, -0.03, 0.04, -0.04, 0.05, -0.05];
    expect(usualLoss(changes, DEFAULTS.usual_spreads)).toBeCloseTo(6 * 1.4826 * 0.03, 10);
    expect(
      usualLoss(
        changes.map((change) => change + 0.01),
        6,
      ),
    ).toBeCloseTo(0.01 + 6 * 1.4826 * 0.03, 10);
    expect(usualLoss([...changes, 0.01], 1)).toBeCloseTo(0.005 + 1.4826 * 0.025, 10);
  });

  test('is not moved by one odd night beyond what the others allow, however odd it is', () => {
    fc.assert(
      fc.property(fc.array(Change, { minLength: 29, maxLength: 29 }), Change, Spreads, (others, odd, spreads) => {
        const [low, high] = [Math.min(...others), Math.max(...others)];
        const usual = usualLoss([...others, odd], spreads) ?? Number.NaN;
        expect(usual).toBeLessThanOrEqual(high + spreads * 1.4826 * (high - low) + 1e-12);
        expect(usual).toBeGreaterThanOrEqual(low - 1e-12);
      }),
    );
    expect(usualLoss([...Array(29).fill(0), 1], 6)).toBe(0);
  });

  test('is unknown where fewer than ten nights are', () => {
    expect(usualLoss(Array(9).fill(0), 6)).toBeUndefined();
    expect(usualLoss(Array(10).fill(0), 6)).toBe(0);
    expect(findUnusual({ before: 100, after: 80 }, quiet(9, 100), DEFAULTS)).toBeUndefined();
    expect(findUnusual({ before: 100, after: 80 }, quiet(10, 100), DEFAULTS)).toEqual({ upTo: 0.04, nights: 10 });
  });

  test('is told by no night that had nothing before it', () => {
    expect(changesFrom([0, 100, 90, 0, 0, 50, 75])).toEqual([0.1, 1, -0.5]);
  });
});

describe('a night', () => {
  test('that loses nothing is never held, whatever was usual', () => {
    fc.assert(
      fc.property(Count, fc.nat({ max: 5000 }), Counts, (before, more, counts) => {
        const settings = { min_shrink: 0, min_shrink_records: 0, usual_spreads: 0 };
        expect(findUnusual({ before, after: before + more }, counts, settings)).toBeUndefined();
      }),
    );
  });

  test('that loses more than one that is held is held, too', () => {
    fc.assert(
      fc.property(Counted, fc.tuple(fc.nat(), fc.nat()), Spreads, ([before, counts], left, usual_spreads) => {
        const [more, less] = left.map((count) => count % (before + 1)).sort((a, b) => a - b);
        const settings = { ...DEFAULTS, usual_spreads };
        const isHeld = (after = 0) => findUnusual({ before, after }, counts, settings) !== undefined;
        if (isHeld(less)) expect(isHeld(more)).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });

  test('is held for what is above the floor in number and in part, and not for what is at it', () => {
    const held = (before: number, after: number) => findUnusual({ before, after }, quiet(30, before), DEFAULTS);
    expect(held(1000, 960)).toBeUndefined();
    expect(held(1000, 959)).toEqual({ upTo: 0.04, nights: 30 });
    expect(held(20, 10)).toBeUndefined();
    expect(held(20, 9)).toEqual({ upTo: 0.04, nights: 30 });
    for (const lenient of [{ min_shrink: 0.25 }, { min_shrink_records: 15 }]) {
      expect(findUnusual({ before: 60, after: 45 }, quiet(11, 60), { ...DEFAULTS, ...lenient })).toBeUndefined();
    }
  });

  test('after many in which as much came and went as tonight is not held', () => {
    const restless = [100, 85, 100, 88, 101, 84, 99, 85, 100, 90, 102, 86];
    expect(findUnusual({ before: 100, after: 80 }, restless, DEFAULTS)).toBeUndefined();
    expect(findUnusual({ before: 100, after: 80 }, quiet(11, 100), DEFAULTS)).toBeDefined();
    // A tenth goes and comes back: -1/180 in the middle, and six spreads of 19/180 make 93.34 %.
    const wavering = [1000, 900, 1000, 900, 1000, 900, 1000, 900, 1000, 900, 1000];
    expect(findUnusual({ before: 1000, after: 67 }, wavering, DEFAULTS)).toBeUndefined();
    expect(findUnusual({ before: 1000, after: 66 }, wavering, DEFAULTS)).toMatchObject({ nights: 10 });
  });

  test('after one that was let pass is judged as before it, and what comes back is no loss', () => {
    const accepted = [...quiet(15, 412), 290, 412, ...quiet(10, 412)];
    expect(findUnusual({ before: 412, after: 393 }, accepted, DEFAULTS)).toEqual({ upTo: 0.04, nights: 28 });
    expect(findUnusual({ before: 290, after: 412 }, quiet(15, 412), DEFAULTS)).toBeUndefined();
  });
});
