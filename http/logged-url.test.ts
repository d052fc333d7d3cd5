import fc from 'fast-check';
import { expect, test } from 'vitest';
import { loggedUrl } from './logged-url.ts';

/** Of the form that keys have; test/serve/log.test.ts looks for real ones. */
const KEY = `msk_${'aB3'.repeat(14)}`;

test.each([
  ['/v1/models?limit=3&q=mini', '/v1/models?limit=3&q=mini'],
  ['/v1/models', '/v1/models'],
  ['/v1/models?', '/v1/models?'],
  [`/v1/models?key=${KEY}&limit=3`, '/v1/models?key=…&limit=3'],
  ['/v1/models?api_key=hunter2&token=&ACCESS_TOKEN=x', '/v1/models?api_key=…&token=…&ACCESS_TOKEN=…'],
  [`/v1/models?q=${KEY}`, '/v1/models?q=…'],
  [`/v1/models?${KEY}`, '/v1/models?…'],
  [`/v1/models?${KEY}=1`, '/v1/models?…'],
  [`/v1/models?q=%6D%73k_${KEY.slice(4)}`, '/v1/models?q=…'],
  [`/v1/models/${KEY}/history?kind=score`, '/v1/models/…/history?kind=score'],
  [
    '/files/releases/x/models.jsonl.gz?expires=1&signature=abc',
    '/files/releases/x/models.jsonl.gz?expires=1&signature=…',
  ],
  ['/v1/models?q=%zz', '/v1/models?q=%zz'],
])('%s is logged as %s', (url, logged) => {
  expect(loggedUrl(url, 'msk_')).toBe(logged);
});

test('a key is never logged, whatever is around it', () => {
  const around = fc.string({ unit: fc.constantFrom('/', '?', '&', '=', '%', '+', 'a', '#', '%20'), maxLength: 8 });
  fc.assert(
    fc.property(around, around, (before, after) => {
      expect(loggedUrl(`/${before}${KEY}${after}`, 'msk_')).not.toContain(KEY.slice(4));
    }),
  );
});
