import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { TestClock, times } from '../testing/subject.ts';
import { MemoryCounter } from './memory-counter.ts';
import { RateLimiter } from './rate-limiter.ts';

const ENFORCED = { limit: 3, isEnforced: true };

function start({ namesMax = 100 } = {}) {
  const clock = new TestClock('2026-11-20T12:00:00Z');
  const counter = new MemoryCounter({ namesMax });
  return { clock, counter, limiter: new RateLimiter(counter, clock.now, 'burst') };
}

describe('the rolling limit', () => {
  test('of 200 parallel requests for 50 places exactly 50 pass', async () => {
    const { limiter } = start();
    const states = await times(200, () => limiter.hit('a', { limit: 50, isEnforced: true }));
    expect(states.filter(({ refused }) => !refused)).toHaveLength(50);
  });

  test('tells what is left, and when there will be more', async () => {
    const { clock, limiter } = start();
    const second = clock.now().getTime() / 1000;
    expect(await limiter.hit('a', ENFORCED)).toEqual({
      ...{ refused: false, limit: 3, remaining: 2, resetAt: second + 60, retryAfterSeconds: 60 },
    });
    clock.advance(10_000);
    expect(await limiter.hit('a', ENFORCED)).toMatchObject({
      remaining: 1,
      resetAt: second + 60,
      retryAfterSeconds: 50,
    });
    expect(await limiter.hit('a', ENFORCED)).toMatchObject({ refused: false, remaining: 0 });
    expect(await limiter.hit('a', ENFORCED)).toMatchObject({ refused: true, remaining: 0, retryAfterSeconds: 60 });
  });

  test('who waits as long as told gets through, who hammers does not', async () => {
    const { clock, limiter } = start();
    await times(4, () => limiter.hit('patient', ENFORCED));
    await times(4, () => limiter.hit('hammer', ENFORCED));
    for (let waited = 0; waited < 60; waited += 1) {
      clock.advance(1000);
      expect((await limiter.hit('hammer', ENFORCED)).refused).toBe(true);
    }
    expect((await limiter.hit('patient', ENFORCED)).refused).toBe(false);
  });

  test('refuses nobody where limits are only measured, and counts all the same', async () => {
    const { limiter } = start();
    const states = await times(5, () => limiter.hit('a', { limit: 3, isEnforced: false }));
    expect(states.map(({ refused, remaining }) => [refused, remaining])).toEqual([
      ...[
        [false, 2],
        [false, 1],
        [false, 0],
        [false, 0],
        [false, 0],
      ],
    ]);
  });

  test('keeps names and limiters apart', async () => {
    const { clock, counter, limiter } = start();
    await times(4, () => limiter.hit('a', ENFORCED));
    expect((await limiter.hit('b', ENFORCED)).remaining).toBe(2);
    expect((await new RateLimiter(counter, clock.now, 'backstop').hit('a', ENFORCED)).remaining).toBe(2);
  });

  test('a clock that is set back frees nothing', async () => {
    const { clock, limiter } = start();
    await times(3, () => limiter.hit('a', ENFORCED));
    clock.advance(-30_000);
    expect((await limiter.hit('a', ENFORCED)).refused).toBe(true);
  });

  test('forgets names that were idle for a minute, and the least recent of too many', async () => {
    const { clock, counter, limiter } = start({ namesMax: 10 });
    await times(50, (index) => limiter.hit(`${index}`, ENFORCED));
    expect(counter.size).toBeLessThanOrEqual(11);
    clock.advance(60_000);
    await times(10, () => limiter.hit('a', ENFORCED));
    expect(counter.size).toBe(1);
  });

  test('agrees with counting every hit of the last 60 seconds anew', async () => {
    const steps = fc.array(fc.integer({ min: 0, max: 45_000 }), { minLength: 1, maxLength: 150 });
    await fc.assert(
      fc.asyncProperty(steps, fc.integer({ min: 1, max: 12 }), async (pauses, limit) => {
        const { clock, limiter } = start();
        const hits: number[] = [];
        for (const pause of pauses) {
          clock.advance(pause);
          const second = Math.floor(clock.now().getTime() / 1000);
          hits.push(second);
          const countIn = (end: number) => hits.filter((hit) => hit > end - 60 && hit <= end).length;
          const state = await limiter.hit('a', { limit, isEnforced: true });
          const remaining = Math.max(0, limit - countIn(second));
          let more = second;
          while (Math.max(0, limit - countIn(more)) <= remaining) more += 1;
          expect(state).toEqual({
            ...{ refused: countIn(second) > limit, limit, remaining },
            ...{ resetAt: more, retryAfterSeconds: more - second },
          });
        }
      }),
    );
  });
});
