import { expect, test } from 'vitest';
import { ASKED_AT_ONCE_MAX, fewLooksAtOnce } from './declaration.ts';
import type { Evidence } from './integration.ts';

const PAGE = { url: 'https://shop.test/', domain: 'shop.test' };
const EVIDENCE: Evidence = {
  reason: 'NOT_FOUND',
  message: 'nothing',
  status: 200,
  finalUrl: PAGE.url,
  found: null,
  durationMs: 1,
};

test('no more than four checks that are asked for are under way in a process, whoever asks', async () => {
  const waiting: (() => void)[] = [];
  const look = fewLooksAtOnce(
    (_: typeof PAGE) =>
      new Promise<Evidence>((resolve) => {
        waiting.push(() => resolve(EVIDENCE));
      }),
  );
  const looks = Array.from({ length: ASKED_AT_ONCE_MAX }, () => look(PAGE));
  await expect(look(PAGE)).rejects.toMatchObject({ code: 'usage', message: expect.stringContaining('in a minute') });
  expect([ASKED_AT_ONCE_MAX, waiting.length]).toEqual([4, 4]);
  waiting.shift()?.();
  await looks[0];
  const another = look(PAGE);
  for (const finish of waiting) finish();
  expect(await another).toEqual(EVIDENCE);
});

test('one that fails leaves its place to others', async () => {
  const look = fewLooksAtOnce((_: typeof PAGE) => Promise.reject(new Error('ours')), 1);
  await expect(look(PAGE)).rejects.toThrow('ours');
  await expect(look(PAGE)).rejects.toThrow('ours');
});
