import { expect, test } from 'vitest';
import type { Window, WindowCounter } from './rate-limiter.ts';
import { SharedCounter } from './shared-counter.ts';

const LIMIT = 10;

function counterOf(answer: () => Promise<Window>): WindowCounter & { asked: number } {
  const counter = {
    asked: 0,
    hit: () => {
      counter.asked += 1;
      return answer();
    },
    close: async () => {},
  };
  return counter;
}

function start(shared: WindowCounter, own: Window) {
  const time = { steadyMs: 0 };
  const log = { info: () => {}, warn: () => {} };
  const clock = () => new Date(0);
  const deps = { shared, own: counterOf(async () => own), log, clock, steadyMs: () => time.steadyMs, pauseMs: 1000 };
  return { time, counter: new SharedCounter(deps) };
}

test.each([
  [
    'the shared one where it has more hits',
    { hits: 7, waitMs: 100 },
    { hits: 3, waitMs: 900 },
    { hits: 7, waitMs: 100 },
  ],
  [
    "this process's where the shared one lost some",
    { hits: 1, waitMs: 60_000 },
    { hits: 3, waitMs: 900 },
    { hits: 3, waitMs: 900 },
  ],
  ['both where both are full', { hits: 10, waitMs: 500 }, { hits: 11, waitMs: 200 }, { hits: 11, waitMs: 500 }],
])('of two windows %s holds', async (_, shared, own, expected) => {
  const { counter } = start(
    counterOf(async () => shared),
    own,
  );
  expect(await counter.hit('a', LIMIT)).toEqual(expected);
});

test('a shared counter that failed is asked again after the pause, whatever becomes of the clock', async () => {
  const shared = counterOf(() => Promise.reject(new Error('away')));
  const { time, counter } = start(shared, { hits: 1, waitMs: 60_000 });
  await counter.hit('a', LIMIT);
  time.steadyMs = 999;
  await counter.hit('a', LIMIT);
  expect(shared.asked).toBe(1);
  time.steadyMs = 1000;
  await counter.hit('a', LIMIT);
  expect(shared.asked).toBe(2);
});
