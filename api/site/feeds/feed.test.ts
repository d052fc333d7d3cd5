import { expect, test } from 'vitest';
import { feedOf } from './feed.ts';

const RELEASES = [
  { day: '2026-06-01', data_as_of: '2026-06-01T23:59:59Z' },
  { day: '2026-06-02', data_as_of: '2026-06-02T23:30:00Z' },
];

function toldWith(count: number) {
  const entries = Array.from({ length: count }, (_, i) => {
    return {
      day: '2026-06-01',
      topic: 'prices',
      seq: count - i,
      title: 't',
      text: 't',
      page: 'embed/models/a',
    } as const;
  });
  return { title: 't', subtitle: 's', path: 'feeds/changes', page: '', tagPath: '', entries };
}

test('a feed has the newest 100 of its entries, of the instant as of which their release holds', () => {
  const { entries, updated } = feedOf(toldWith(150), { releases: RELEASES, baseUrl: 'https://a.example/stats' });
  expect(entries).toHaveLength(100);
  expect(entries[0]).toMatchObject({
    id: 'tag:a.example,2026-06-01:stats/prices/150',
    pageUrl: 'https://a.example/stats/embed/models/a',
  });
  expect([updated, entries[0]?.at]).toEqual(['2026-06-01T23:59:59Z', '2026-06-01T23:59:59Z']);
});

test('a feed without entries is of the newest release', () => {
  const { updated, urls, pageUrl } = feedOf(toldWith(0), { releases: RELEASES, baseUrl: 'https://a.example/stats' });
  expect([updated, urls.atom, pageUrl]).toEqual([
    '2026-06-02T23:30:00Z',
    'https://a.example/stats/feeds/changes.atom',
    'https://a.example/stats/',
  ]);
});
