import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { TestClock, times } from '../../../test/support/accounts/subject.ts';
import { type BurstState, MemoryCounter, RateLimiter } from './rate-limiter.ts';

const ENFORCED = { limit: 3, isEnforced: true };
const MINUTE_MS = 60_000;

function start({ namesMax = 100, bytesMax = 1_000_000 } = {}) {
  const clock = new TestClock('2026-11-20T12:00:00Z');
  const counter = new MemoryCounter(clock.now, { namesMax, bytesMax });
  return { clock, counter, limiter: new RateLimiter(counter, clock.now, 'organization') };
}

/** Pauses between hits, in milliseconds: bursts within one, and all that matters around a second and a minute. */
const PAUSES = fc.array(
  fc.oneof(
    fc.constant(0),
    fc.integer({ min: 0, max: 45_000 }),
    fc.constantFrom(1, 999, 1000, 1001, 59_000, 59_999, 60_000, 60_001),
  ),
  { minLength: 1, maxLength: 120 },
);

describe('the rolling limit', () => {
  test('agrees with counting every hit of the last 60 seconds anew', async () => {
    await fc.assert(
      fc.asyncProperty(PAUSES, fc.integer({ min: 1, max: 12 }), async (pauses, limit) => {
        const { clock, limiter } = start();
        const hits: number[] = [];
        for (const pause of pauses) {
          clock.advance(pause);
          const now = clock.now().getTime();
          hits.push(now);
          expect(await limiter.hit('a', { limit, isEnforced: true })).toEqual(expectedState(hits, now, limit));
        }
      }),
    );
  });

  test('a limit that is lowered and raised again within a minute gives nothing twice', async () => {
    const { limiter } = start();
    const hit = (limit: number) => limiter.hit('a', { limit, isEnforced: true });
    await times(100, () => hit(100));
    expect((await hit(2)).refused).toBe(true);
    expect((await hit(100)).refused).toBe(true);
    expect(await hit(110)).toMatchObject({ refused: false });
  });
});

describe('a clock that is set back', () => {
  test.each([1, 30_000, 3_600_000, 86_400_000])('by %i ms frees nothing and locks nobody out', async (back) => {
    const { clock, limiter } = start();
    await times(3, () => limiter.hit('a', ENFORCED));
    clock.advance(20_000 - back);
    expect(await limiter.hit('a', ENFORCED)).toMatchObject({ refused: true });
    clock.advance(MINUTE_MS);
    const states = await times(4, () => limiter.hit('a', ENFORCED));
    expect(states.map(({ refused }) => refused)).toEqual([false, false, false, true]);
    clock.advance(MINUTE_MS);
    expect(await limiter.hit('a', ENFORCED)).toMatchObject({ refused: false, retryAfterSeconds: 60 });
  });

  test('at random still lets never more than the limit through in any 60 seconds that really passed', async () => {
    const steps = fc.array(
      fc.record({ pause: fc.integer({ min: 0, max: 30_000 }), back: fc.constantFrom(0, 0, 0, 1, 1000, 3_600_000) }),
      { minLength: 1, maxLength: 80 },
    );
    await fc.assert(
      fc.asyncProperty(steps, fc.integer({ min: 1, max: 5 }), async (all, limit) => {
        const { clock, limiter } = start();
        const passed: number[] = [];
        let elapsed = 0;
        for (const { pause, back } of all) {
          elapsed += pause;
          clock.advance(pause - back);
          if (!(await limiter.hit('a', { limit, isEnforced: true })).refused) passed.push(elapsed);
        }
        for (const [index, time] of passed.entries())
          expect(time - (passed[index - limit] ?? Number.NEGATIVE_INFINITY)).toBeGreaterThanOrEqual(MINUTE_MS);
      }),
    );
  });
});

describe('the memory of a counter', () => {
  test('forgets names that were idle for a minute, and the least recent of too many', async () => {
    const { clock, counter, limiter } = start({ namesMax: 10 });
    for (let index = 0; index < 50; index += 1) {
      await limiter.hit(`${index}`, ENFORCED);
      expect(counter.size).toBe(Math.min(index + 1, 10));
    }
    expect((await limiter.hit('49', ENFORCED)).remaining, 'the most recent stays').toBe(1);
    clock.advance(MINUTE_MS);
    await times(10, () => limiter.hit('a', ENFORCED));
    expect(counter.size).toBe(1);
  });

  test('stays within its bytes, whatever the limits and the hits', async () => {
    const bytesMax = 50_000;
    const { counter, limiter } = start({ namesMax: 10_000, bytesMax });
    for (let hit = 0; hit < 20_000; hit += 1) {
      await limiter.hit(`${hit % 100}`, { limit: 1_000_000, isEnforced: true });
      expect(counter.bytes).toBeLessThanOrEqual(bytesMax);
    }
  });

  test('keeps of a name no more than the limit, however much it is hammered', async () => {
    const { counter, limiter } = start();
    for (let hit = 0; hit < 10_000; hit += 1) await limiter.hit('a', { limit: 60, isEnforced: true });
    expect(counter.bytes).toBeLessThan(2_000);
  });
});

/** What every hit of the last 60 seconds says, each looked at anew. */
function expectedState(hits: readonly number[], now: number, limit: number): BurstState {
  const countAt = (end: number) => hits.filter((hit) => hit > end - MINUTE_MS && hit <= end).length;
  const remaining = Math.max(0, limit - countAt(now));
  const more = hits.map((hit) => hit + MINUTE_MS).find((end) => end > now && limit - countAt(end) > remaining);
  const waitMs = (more ?? now) - now;
  return {
    refused: countAt(now) > limit,
    scope: 'organization',
    limit,
    remaining,
    resetAt: Math.ceil((now + waitMs) / 1000),
    retryAfterSeconds: Math.ceil(waitMs / 1000),
  };
}
