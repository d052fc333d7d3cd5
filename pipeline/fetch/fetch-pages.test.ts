import { expect, test } from 'vitest';
import * as faults from '../../test/support/fetch/faults.ts';
import { useFetch } from '../../test/support/fetch/use-fetch.ts';
import { perTest } from '../../test/support/per-test.ts';

const place = perTest(useFetch);

const PAGES = { next: '$.links.next', rows: '$.data', max: 4 };

function servePages(...pages: readonly (readonly unknown[])[]): void {
  for (const [index, data] of pages.entries()) {
    const next = index + 1 < pages.length ? `page${index + 1}` : null;
    place.server.serve(index === 0 ? '/models.json' : `/page${index}`, { total: 5, links: { next }, data });
  }
}

const fetchPaged = (entry: object = {}) => place.fetchFile({ pages: PAGES, ...entry });
const readJoined = async () => JSON.parse((await place.read('models.json')) ?? '');

test('rows of all pages are joined to one file, which is otherwise the first page', async () => {
  servePages([{ id: 'a' }], [{ id: 'b', price: 2.5e-6 }, { id: 'c' }], []);
  const fetched = await fetchPaged({ expect: { json_path: '$.data', min_rows: 3 } });
  expect(fetched).toMatchObject({ status: 'fetched', etag: null });
  expect(await readJoined()).toEqual({
    total: 5,
    links: { next: 'page1' },
    data: [{ id: 'a' }, { id: 'b', price: 2.5e-6 }, { id: 'c' }],
  });
});

test('a page that is alone stays as it was served', async () => {
  const text = '{ "data": [ 1.0, 12345678901234567890 ] }';
  place.server.serve('/models.json', text);
  await fetchPaged();
  expect(await place.read('models.json')).toBe(text);
});

test('pages may be arrays below other names, and the next address absolute', async () => {
  place.server.serve('/models.json', { a: [{ rows: [1] }], next: `${place.server.url}/two` });
  place.server.serve('/two', { a: [{ rows: [2] }] });
  await fetchPaged({ pages: { next: '$.next', rows: '$.a[0].rows' } });
  expect(await readJoined()).toMatchObject({ a: [{ rows: [1, 2] }] });
});

test('a secret header goes with every page', async () => {
  servePages([1], [2]);
  const entry = { pages: PAGES, headers: { 'x-key': `\${SHOP_KEY}` } };
  await place.fetchFile(entry, { variables: { SHOP_KEY: 'hunter2' } });
  expect(place.server.seen.map(({ headers }) => headers['x-key'])).toEqual(['hunter2', 'hunter2']);
});

test('every page is tried again on its own', async () => {
  servePages([1], [2], [3]);
  place.server.break('/page1', faults.status(500), faults.respondWith('{"error": "busy"}'));
  place.server.break('/page2', faults.cutOff, faults.respondWith('{'));
  expect(await fetchPaged()).toMatchObject({ status: 'fetched' });
  expect(place.server.takeSeen()).toEqual(['/models.json', ...Array(3).fill('/page1'), ...Array(3).fill('/page2')]);
});

const pageWith = (next: unknown) => ({ data: [], links: { next } });
const DEEP = `{"data":${'['.repeat(20_000)}${']'.repeat(20_000)}}`;

test.each<[string, string | object | undefined, RegExp]>([
  ['a page is missing', undefined, /responded with 404$/],
  ['a page has no rows', {}, /^page 2 has no array \$\.data \(3 attempts\)$/],
  [
    'the next page lies elsewhere',
    pageWith('https://other.test/'),
    /^links from 127\.0\.0\.1:\d+ to a page at other\.test$/,
  ],
  ['pages go round in a circle', pageWith('/models.json'), /^page 2 links back to an earlier page$/],
  ['lists lie in each other deeper than any record', DEEP, /^page 2 is nested more than 64 levels deep$/],
  ['the next address is none', pageWith(7), /^\$\.links\.next is not the address of a page$/],
])('there is no file where %s', async (_, second, problem) => {
  servePages([1], [2], [3]);
  if (second === undefined) place.server.remove('/page1');
  else place.server.serve('/page1', second);
  expect(await fetchPaged()).toMatchObject({ status: 'failed', problem: expect.stringMatching(problem) });
});

test('more pages than expected are no file, rather than a part', async () => {
  servePages([1], [2], [3], [4], [5]);
  expect(await fetchPaged()).toMatchObject({ status: 'failed', problem: 'has more than 4 pages' });
});
