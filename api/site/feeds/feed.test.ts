import fc from 'fast-check';
import { expect, test } from 'vitest';
import { childrenOf, parseXml, textOf } from '../../../test/support/site/xml-tree.ts';
import { pathPart } from './entries.ts';
import { feedOf, WRITE_FEED } from './feed.ts';
import { nameInText } from './words.ts';

const RELEASES = [
  { day: '2026-06-01', data_as_of: '2026-06-01T23:59:59Z' },
  { day: '2026-06-02', data_as_of: '2026-06-02T23:30:00Z' },
];

function receivedWith(count: number) {
  const entry = { day: '2026-06-01', topic: 'prices', title: 't', text: 't', page: 'embed/models/a' } as const;
  const entries = Array.from({ length: count }, (_, i) => ({ ...entry, seq: count - i }));
  return { title: 't', subtitle: 's', path: 'feeds/changes', page: '', tagPath: '', entries };
}

test('a feed has the newest 100 of its entries, of the instant as of which their release holds', () => {
  const { entries, updated } = feedOf(receivedWith(150), { releases: RELEASES, baseUrl: 'https://a.example/stats' });
  expect(entries).toHaveLength(100);
  expect(entries[0]).toMatchObject({
    id: 'tag:a.example,2026-06-01:stats/prices/150',
    pageUrl: 'https://a.example/stats/embed/models/a',
  });
  expect([updated, entries[0]?.at]).toEqual(['2026-06-01T23:59:59Z', '2026-06-01T23:59:59Z']);
});

test('a feed without entries is of the newest release', () => {
  const { updated, urls, pageUrl } = feedOf(receivedWith(0), {
    releases: RELEASES,
    baseUrl: 'https://a.example/stats',
  });
  expect([updated, urls.atom, pageUrl]).toEqual([
    '2026-06-02T23:30:00Z',
    'https://a.example/stats/feeds/changes.atom',
    'https://a.example/stats/',
  ]);
});

const ODD_SIGNS = ['\u0000', '\ufdd0', 'א', '名', '🦙'];
/** Any text, and the signs that mean something to XML, JSON, HTML or a line more often than chance has them. */
const anyText = fc.oneof(
  fc.string({ unit: 'grapheme', minLength: 1 }),
  fc.string({ unit: 'binary', minLength: 1 }),
  fc
    .array(fc.constantFrom('<', '>', '&', ']]>', '<![CDATA[', '&amp;', '&#0;', '"', "'", '\\', '\n', ...ODD_SIGNS), {
      minLength: 1,
    })
    .map((signs) => signs.join('')),
);

test('whatever names are made of, both forms are well-formed and give back the words', async () => {
  await fc.assert(
    fc.asyncProperty(anyText, fc.array(anyText, { minLength: 1, maxLength: 4 }), async (name, names) => {
      const title = `x ${nameInText(name)}.`;
      const text = names.map((other) => `y ${nameInText(other)}.`).join('\n');
      const entry = { day: '2026-06-01', topic: 'prices', seq: 7, title, text, page: '' } as const;
      const tagPath = `models/${pathPart(nameInText(name))}/`;
      const content = { title, subtitle: title, path: 'feeds/changes', page: '', tagPath, entries: [entry] };
      const feed = feedOf(content, { releases: RELEASES, baseUrl: 'https://a.example' });
      const atom = parseXml(await WRITE_FEED.atom(feed));
      const [read] = childrenOf(atom, 'entry');
      expect([textOf(atom, 'title'), textOf(atom, 'subtitle')]).toEqual([title, title]);
      expect(read && [textOf(read, 'id'), textOf(read, 'title'), textOf(read, 'content')]).toEqual([
        feed.entries[0]?.id,
        title,
        text,
      ]);
      const { items } = JSON.parse(await WRITE_FEED.json(feed));
      const { id, pageUrl: url } = feed.entries[0] ?? {};
      expect(items).toEqual([expect.objectContaining({ id, url, title, content_text: text })]);
    }),
    { numRuns: 500 },
  );
});
