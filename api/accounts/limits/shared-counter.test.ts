import { expect, test } from 'vitest';
import type { Window, WindowCounter } from './rate-limiter.ts';
import { SharedCounter } from './shared-counter.ts';

const LIMIT = 10;

function counterOf(response: () => Promise<Window>): WindowCounter & { asked: number } {
  const counter = {
    asked: 0,
    hit: () => {
      counter.asked += 1;
      return response();
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
  ['the shared one where it has more hits', [7, 100], [3, 900], [7, 100]],
  ["this process's where the shared one lost some", [1, 60_000], [3, 900], [3, 900]],
  ['both where both are full', [10, 500], [11, 200], [11, 500]],
] as const)('of two windows, as hits and milliseconds to wait, %s holds', async (_, shared, own, expected) => {
  const windowOf = ([hits, waitMs]: readonly [number, number]): Window => ({ hits, waitMs });
  const { counter } = start(
    counterOf(async () => windowOf(shared)),
    windowOf(own),
  );
  expect(await counter.hit('a', LIMIT)).toEqual(windowOf(expected));
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
