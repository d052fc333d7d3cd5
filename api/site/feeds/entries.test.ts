import { expect, test } from 'vitest';
import { entriesFrom, pathPart, SINGLES_MAX, tagsOf } from './entries.ts';
import type { NewsLine } from './night-news.ts';
import { WRITERS, writersOf } from './topics.ts';

const price = (input: number) => JSON.stringify({ input_per_million: input, output_per_million: 10, currency: 'USD' });

function line(more: Partial<NewsLine>): NewsLine {
  const { kind = 'pricing', change = 'changed' } = more;
  return {
    seq: 1,
    day: '2026-06-02',
    kind,
    change,
    model_id: 'a',
    parts: ['p'],
    before: price(3),
    after: price(2),
    lines: 1,
    models: 1,
    ...more,
  };
}

function prices(models: readonly string[], lines = models.length): readonly NewsLine[] {
  return models.map((model_id, i) => line({ seq: i + 5, model_id, lines, models: Math.max(lines, models.length) }));
}

test('up to three things have an entry each, with the page about them', () => {
  const entries = entriesFrom(prices(['a', 'b/c', 'd']), WRITERS);
  expect(entries).toHaveLength(SINGLES_MAX);
  expect(entries[1]).toEqual({
    day: '2026-06-02',
    topic: 'prices',
    seq: 6,
    title: 'b/c: input price at p from $3 to $2 per 1 M tokens (−33 %)',
    text: 'b/c: input price at p from $3 to $2 per 1 M tokens (−33 %)',
    page: 'embed/models/b%2Fc',
  });
});

test('of more than three things there is one entry', () => {
  const [entry, ...others] = entriesFrom(prices(['a', 'b', 'c', 'd', 'e']), WRITERS);
  expect(others).toEqual([]);
  expect(entry).toMatchObject({ seq: 5, title: 'Prices of 5 models changed: a, b, c and 2 more', page: '' });
  expect(entry?.text.split('\n')).toHaveLength(5);
});

test('lines that were not read are counted, and then no thing has an entry of its own', () => {
  const [entry, ...others] = entriesFrom(prices(['a', 'b'], 1250), WRITERS);
  expect(others).toEqual([]);
  expect(entry?.title).toBe('Prices of 1,250 models changed: a, b and 1,248 more');
  expect(entry?.text.split('\n').at(-1)).toBe('and 1,248 more');
});

test('several prices of one model are one entry, whose title counts them', () => {
  const lines = [line({ lines: 2 }), line({ seq: 2, parts: ['q'], after: price(4), lines: 2 })];
  expect(entriesFrom(lines, WRITERS).map(({ title }) => title)).toEqual(['a: 2 price changes']);
});

test('many scores of a model are told with how many there are of each kind of change', () => {
  const score = (change: NewsLine['change'], part: string, lines: number) =>
    line({ kind: 'score', change, parts: [part], before: change === 'came' ? null : '1', after: '2', lines });
  const [entry] = entriesFrom([score('came', 'x', 150), score('changed', 'y', 1)], WRITERS);
  expect(entry?.title).toBe('a: scores in x, y and 149 more');
  expect(entry?.text).toBe('a: new score 2 in x\na: score from 1 to 2 in y\nand 149 more');
});

test('ranks in many categories are one entry, with a line for each category', () => {
  const rank = (category: string, before: string | null, after: string, model_id = 'a') =>
    line({ kind: 'ranking', change: before ? 'changed' : 'came', parts: [category], model_id, before, after });
  const lines = [
    rank('art', '2', '1'),
    rank('art', '1', '2', 'b'),
    rank('code', null, '1'),
    rank('math', '3', '4'),
    rank('new', null, '1'),
  ];
  const [entry, ...others] = entriesFrom(lines, writersOf(new Map([['new', '2026-06-02']])));
  expect(others).toEqual([]);
  expect(entry?.title).toBe('Ranks changed in 4 categories: art, code, math and 1 more');
  expect(entry?.text.split('\n')).toEqual([
    'art: a went from 2 to 1 and b went from 1 to 2',
    'code: a came in at 1',
    'math: a went from 3 to 4',
    'new is ranked for the first time: 1. a',
  ]);
});

test('nights are told newest first, whatever order their lines come in', () => {
  const lines = [line({ day: '2026-06-01' }), line({ day: '2026-06-03' }), line({ day: '2026-06-02' })];
  expect(entriesFrom(lines, WRITERS).map(({ day }) => day)).toEqual(['2026-06-03', '2026-06-02', '2026-06-01']);
});

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
