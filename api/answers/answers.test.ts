/** What every data route does alike: entity tags, conditions, the cache, compression. */
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, test, vi } from 'vitest';
import { useApi } from '../../test/support/api/use-api.ts';
import { BACKFILL_ROWS, publishSmallDays, SMALL_DAYS, TODAY } from '../../test/worlds/small-days.ts';

const PUBLIC = ['/v1/models', '/v1/models/a', '/v1/benchmarks', '/v1/scores', '/v1/rankings?category=general'];
const PUBLIC_TODAY = ['/v1/updates'];
const PRIVATE = ['/v1/changes'];
const PRIVATE_TODAY = ['/v1/models/a/history?kind=score', '/v1/rankings/history?category_id=general', '/v1/snapshots'];
const ROUTES = [...PUBLIC, '/v1/categories', ...PUBLIC_TODAY, ...PRIVATE, ...PRIVATE_TODAY];
const DAYS = Object.keys(SMALL_DAYS);

const api = useApi({
  days: (store) => publishSmallDays(store, DAYS.slice(0, -1)),
  now: `${TODAY}T12:00:00Z`,
  settings: { compressFromBytes: 300 },
});

async function etagOf(path: string, headers: Record<string, string> = {}): Promise<string> {
  const response = await api.get(path, headers);
  if (response.statusCode !== 200) throw new Error(`${path}: ${response.body}`);
  return String(response.headers['etag']);
}

/** Sees the queries that run during the work. */
async function countQueries(work: () => Promise<unknown>): Promise<number> {
  const spy = vi.spyOn(api.follower.current(), 'rows');
  await work();
  const { length } = spy.mock.calls;
  spy.mockRestore();
  return length;
}

describe.each(ROUTES)('%s', (path) => {
  test('has a strong tag, and is 304 to it in every form without a query, without a body, with the headers of a 200', async () => {
    const first = await api.get(path);
    const etag = String(first.headers['etag']);
    expect(etag).toMatch(/^"[0-9a-f]{32}"$/);
    for (const header of [
      etag,
      `W/${etag}`,
      `"x", ${etag}`,
      etag.replace(/"$/, '-gzip"'),
      etag.replace(/"$/, '-br"'),
    ]) {
      const queries = await countQueries(async () => {
        const response = await api.get(path, { 'if-none-match': header });
        expect([response.statusCode, response.body], header).toEqual([304, '']);
        for (const name of ['cache-control', 'last-modified', 'vary', 'x-data-as-of']) {
          expect(response.headers[name], name).toBe(first.headers[name]);
        }
        expect(header).toContain(response.headers['etag']);
      });
      expect(queries).toBe(0);
    }
    expect((await api.get(path, { 'if-none-match': '"other"' })).statusCode).toBe(200);
  });

  test('is 304 to If-Modified-Since from its Last-Modified on, and without a query once it is known', async () => {
    const { headers } = await api.get(path);
    const modified = String(headers['last-modified']);
    const earlier = new Date(Date.parse(modified) - 1000).toUTCString();
    const queries = await countQueries(async () => {
      expect((await api.get(path, { 'if-modified-since': modified })).statusCode).toBe(304);
      expect((await api.get(path, { 'if-none-match': '*' })).statusCode).toBe(304);
    });
    expect(queries).toBe(0);
    expect((await api.get(path, { 'if-modified-since': earlier })).statusCode).toBe(200);
    expect((await api.get(path, { 'if-modified-since': 'nonsense' })).statusCode).toBe(200);
    // The tag decides where both are sent (RFC 9110 §13.2.2).
    const both = { 'if-modified-since': modified, 'if-none-match': '"other"' };
    expect((await api.get(path, both)).statusCode).toBe(200);
  });
});

test.each([...PUBLIC, ...PUBLIC_TODAY])('%s may be kept by anybody for a minute', async (path) => {
  expect((await api.get(path)).headers['cache-control']).toBe('public, max-age=60');
});

test.each([...PRIVATE, ...PRIVATE_TODAY])('%s may be kept by the caller for a minute', async (path) => {
  const { headers } = await api.get(path);
  expect(headers['cache-control']).toBe('private, max-age=60');
  expect(headers['vary']).toBe('Authorization, accept-encoding');
});

test('Last-Modified is when the release was published, or today’s midnight where the answer depends on today', async () => {
  const modified = async (path: string) =>
    new Date(String((await api.get(path)).headers['last-modified'])).toISOString();
  for (const path of [...PUBLIC, ...PRIVATE]) expect(await modified(path), path).toBe('2026-06-07T00:20:00.000Z');
  for (const path of [...PUBLIC_TODAY, ...PRIVATE_TODAY]) expect(await modified(path)).toBe(`${TODAY}T00:00:00.000Z`);
});

test('equal requests have one tag: defaults written out, other order, what means nothing', async () => {
  const same = async (path: string, ...others: readonly string[]) => {
    for (const other of others) expect(await etagOf(other), other).toBe(await etagOf(path));
  };
  await same('/v1/models', '/v1/models?limit=50&sort=id', '/v1/models?sort=id&unknown=1');
  await same('/v1/changes', '/v1/changes?limit=1000', '/v1/changes?cursor=MA');
  await same('/v1/updates', '/v1/updates?limit=50&days=7');
  const history = '/v1/models/a/history?kind=score';
  await same(history, `${history}&from=2025-05-07&to=${TODAY}`, `${history}&to=2099-01-01&category_id=x`);
  await same('/v1/rankings/history?category_id=general', '/v1/rankings/history?top=10&category_id=general');
});

test('other requests have other tags', async () => {
  const tags = await Promise.all(
    [...ROUTES, '/v1/models?limit=49', '/v1/models?q=a', '/v1/changes?limit=1'].map((path) => etagOf(path)),
  );
  expect(new Set(tags).size).toBe(tags.length);
});

test('what isn’t there is 404 under any condition', async () => {
  const missing = '/v1/models/nobody/history?kind=score';
  expect((await api.get(missing, { 'if-none-match': '*' })).statusCode).toBe(404);
  expect((await api.get(missing, { 'if-modified-since': api.clock.now().toUTCString() })).statusCode).toBe(404);
});

test('the first of equal requests is a MISS, the others are HITs', async () => {
  const hitOf = async (path: string) => (await api.get(path)).headers['x-cache'];
  expect(await hitOf('/v1/scores?model=a&limit=7')).toBe('MISS');
  expect(await hitOf('/v1/scores?limit=7&model=a')).toBe('HIT');
  expect(await countQueries(() => hitOf('/v1/scores?limit=7&model=a'))).toBe(0);
});

describe('compressed', () => {
  const large = ['/v1/models?limit=60', '/v1/models/a/history?kind=score', '/v1/changes'];
  test.each(large)('%s is the same text, with a tag of its own for each encoding', async (path) => {
    const plain = await api.get(path);
    expect(plain.headers['content-encoding']).toBeUndefined();
    for (const [encoding, expand] of [
      ['gzip', gunzipSync],
      ['br', brotliDecompressSync],
    ] as const) {
      const response = await api.get(path, { 'accept-encoding': encoding });
      expect(response.headers['content-encoding']).toBe(encoding);
      expect(response.headers['etag']).toBe(String(plain.headers['etag']).replace(/"$/, `-${encoding}"`));
      expect(response.headers['vary']).toBe(plain.headers['vary']);
      expect(expand(response.rawPayload).toString()).toBe(plain.body);
    }
  });

  test('only what is worth it', async () => {
    const { headers, body } = await api.get('/v1/categories', { 'accept-encoding': 'gzip' });
    expect(body.length).toBeLessThan(300);
    expect(headers).not.toHaveProperty('content-encoding');
    expect(headers['etag']).toBe(await etagOf('/v1/categories'));
    expect(headers['vary']).toBe('Authorization, accept-encoding');
  });
});

// Last: they change what is published.
test('a new release changes every tag, and what was kept is asked for anew', async () => {
  const before = await Promise.all(ROUTES.map((path) => etagOf(path)));
  await publishSmallDays(api.store, DAYS.slice(-1));
  await api.follower.refresh();
  for (const [i, path] of ROUTES.entries()) {
    const response = await api.get(path, { 'if-none-match': before[i] ?? '' });
    expect([response.statusCode, response.headers['x-cache']], path).toEqual([200, 'MISS']);
  }
});

test('a backfill changes tags and Last-Modified', async () => {
  const before = await etagOf('/v1/models/a/history?kind=pricing');
  await api.store.backfill(BACKFILL_ROWS, '2026-06-10T10:00:00Z');
  await api.follower.refresh();
  const { headers } = await api.get('/v1/models');
  expect(headers['last-modified']).toBe('Wed, 10 Jun 2026 10:00:00 GMT');
  expect(await etagOf('/v1/models/a/history?kind=pricing')).not.toBe(before);
});

test('at midnight the default range moves on, and with it the tag', async () => {
  const path = '/v1/models/a/history?kind=score';
  const [before, fixed] = [await etagOf(path), await etagOf(`${path}&from=2026-06-01&to=2026-06-03`)];
  api.clock.set('2026-06-12T00:00:00Z');
  const response = await api.get(path, { 'if-none-match': before });
  expect(response.headers['last-modified']).toBe('Fri, 12 Jun 2026 00:00:00 GMT');
  expect(response.json()).toMatchObject({ window: { to: '2026-06-12' } });
  expect(await etagOf(`${path}&from=2026-06-01&to=2026-06-03`)).toBe(fixed);
});
