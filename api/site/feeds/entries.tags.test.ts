import { expect, test } from 'vitest';
import { pathPart, tagsOf } from './entries.ts';

/** RFC 4151: an authority that is a domain name, a date, and characters that a path may have. */
const TAG = /^tag:[a-z0-9]([a-z0-9.-]*[a-z0-9])?,\d{4}-\d\d-\d\d:([a-zA-Z0-9._~!$&'()*+,;=:@/-]|%[0-9A-F]{2})*$/;

test.each([
  ['https://stats.example.org', 'tag:stats.example.org,2026-06-29:prices/46001'],
  ['http://stats.example.org:8080', 'tag:stats.example.org,2026-06-29:prices/46001'],
  ['https://example.org/a/stats', 'tag:example.org,2026-06-29:a/stats/prices/46001'],
  ['http://127.0.0.1:3000', 'tag:127.0.0.1,2026-06-29:prices/46001'],
  ['http://[::1]:3000', 'tag:ip6-xx1,2026-06-29:prices/46001'],
])('an entry of %s is %s', (baseUrl, tag) => {
  expect(tagsOf(baseUrl).entry('2026-06-29', 'prices', 46_001)).toBe(tag);
  expect(tag).toMatch(TAG);
  expect(tagsOf(baseUrl).feed('feeds/changes')).toMatch(TAG);
});

test('ids in any script and with any sign are parts of tags', () => {
  for (const id of ['org/odd:1@v2+x%2F é', 'модель', "a'b(c)*!", '🦙'])
    expect(tagsOf('https://a.example').entry('2026-06-29', `models/${pathPart(id)}/prices`, 1)).toMatch(TAG);
});
