import { expect, test } from 'vitest';
import { ResponseCache } from './response-cache.ts';

test('an answer is loaded once, also for those who ask while it is being loaded', async () => {
  const cache = new ResponseCache(1 << 20);
  let loads = 0;
  const load = async () => {
    loads += 1;
    return 'body';
  };
  const answers = await Promise.all([cache.get('a', load), cache.get('a', load)]);
  expect(answers).toEqual([
    { body: Buffer.from('body'), isHit: false },
    { body: Buffer.from('body'), isHit: true },
  ]);
  expect(await cache.get('a', load)).toEqual({ body: Buffer.from('body'), isHit: true });
  expect(loads).toBe(1);
});

test('a failure is told to all who wait and is not kept', async () => {
  const cache = new ResponseCache(1 << 20);
  const fail = () => Promise.reject(new Error('no'));
  const results = await Promise.allSettled([cache.get('a', fail), cache.get('a', fail)]);
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await cache.get('a', async () => 'body')).toEqual({ body: Buffer.from('body'), isHit: false });
});

test('the least recently used goes first', async () => {
  const cache = new ResponseCache(10_000);
  const load = (length: number) => async () => 'x'.repeat(length);
  for (let i = 0; i < 20; i += 1) {
    await cache.get(`small ${i}`, load(700));
    await cache.get('small 0', load(700));
  }
  expect((await cache.get('small 0', load(700))).isHit).toBe(true);
  expect((await cache.get('small 5', load(700))).isHit).toBe(false);
});

test('an answer of a tenth of the memory is kept, one byte more is not', async () => {
  const cache = new ResponseCache(10_000);
  // An entry costs 200 bytes beside its body and its key, which is as long as the length is written.
  for (const [length, isKept] of [
    [797, true],
    [798, false],
  ] as const) {
    const load = async () => 'x'.repeat(length);
    await cache.get(`${length}`, load);
    expect((await cache.get(`${length}`, load)).isHit, `${length}`).toBe(isKept);
  }
});

test('long keys take their share of the memory', async () => {
  const cache = new ResponseCache(100_000);
  const keys = Array.from({ length: 20 }, (_, i) => `${i} `.padEnd(9000, 'x'));
  for (const key of keys) await cache.get(key, async () => 'short');
  expect(keys.filter((key) => cache.has(key)).length).toBeLessThanOrEqual(11);
});
