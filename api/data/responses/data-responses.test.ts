/** What every data route does alike: entity tags, conditions, the cache, compression. */
import { Readable } from 'node:stream';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { defaultsOf } from '../../../runtime/setting.ts';
import { RECORD_VERSIONS } from '../../../schemas/record-versions.ts';
import { openOwnApi, useApi } from '../../../test/support/api/use-api.ts';
import { publishSmallDays, SMALL_DAYS, TODAY } from '../../../test/worlds/small-days.ts';
import { wholeOf } from '../../server/response-body.ts';
import { ALL_RIGHTS } from '../access/rights.ts';
import { Exports } from '../exports/exports.ts';
import { modelsRoute } from '../routes/models.ts';
import { snapshotDownloadRoute } from '../routes/snapshots.ts';
import { RESPONSE_SETTINGS } from '../settings.ts';
import { DataResponses } from './data-responses.ts';
import { dataRoute } from './data-route.ts';
import { value } from './dependencies.ts';

const ROUTES = [
  ...['/v1/models', '/v1/models/a', '/v1/benchmarks', '/v1/scores', '/v1/rankings?category=general', '/v1/categories'],
  ...['/v1/sources', '/v1/updates', '/v1/changes', '/v1/snapshots', '/v1/models/a/history?kind=score'],
  '/v1/rankings/history?category_id=general',
  '/v1/pricing?sort=price',
];
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
        expect(response.headers['x-cache']).toBe('BYPASS');
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
    const future = new Date(api.clock.now().getTime() + 1000).toUTCString();
    expect((await api.get(path, { 'if-modified-since': future })).statusCode).toBe(200);
    expect((await api.get(path, { 'if-modified-since': 'nonsense' })).statusCode).toBe(200);
    // The tag decides where both are sent (RFC 9110 §13.2.2).
    const both = { 'if-modified-since': modified, 'if-none-match': '"other"' };
    expect((await api.get(path, both)).statusCode).toBe(200);
  });
});

test.each(ROUTES)(
  '%s may be cached for a minute, by the caller alone where the plan decides what is in it',
  async (path) => {
    const { headers } = await api.get(path);
    const isPrivate = /changes|history|snapshots/.test(path);
    expect(headers['cache-control']).toBe(`${isPrivate ? 'private' : 'public'}, max-age=60`);
    expect(headers['vary']).toBe('Authorization, accept-encoding');
  },
);

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

test('a condition that names no answer never makes one: at most it is looked up whether there is one', async () => {
  const [conditional, full] = [{ 'if-none-match': '*' }, {}];
  for (const [path, lookUps] of [
    ['/v1/models?limit=3', 0],
    ['/v1/changes?limit=3', 0],
    ['/v1/models/case', 1],
    ['/v1/models/Case/history?kind=score&to=2026-06-02', 1],
    ['/v1/rankings/history?category_id=general&to=2026-06-02', 1],
  ] as const) {
    expect(await countQueries(() => api.get(path, conditional)), path).toBe(lookUps);
    expect((await api.get(path, conditional)).statusCode).toBe(304);
    const isKept = !path.startsWith('/v1/changes');
    expect((await api.get(path, full)).headers['x-cache'], path).toBe(isKept ? 'MISS' : 'BYPASS');
  }
});

test('pages of the feed are never kept, packed or not, so that paging through it pushes no answer out', async () => {
  const small = await openOwnApi({ store: api.store.url, settings: { cacheBytes: 12_000 } });
  const kept = '/v1/scores?model=a&limit=7';
  await small.get(kept);
  for (let limit = 1; limit <= 40; limit += 1) {
    for (const encoding of ['identity', 'gzip']) {
      const { headers } = await small.get(`/v1/changes?limit=${limit}`, { 'accept-encoding': encoding });
      expect(headers['x-cache']).toBe('BYPASS');
    }
  }
  expect((await small.get(kept)).headers['x-cache']).toBe('HIT');
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

describe('where there is no server, as for tools, pages, badges and feeds', () => {
  let answers: DataResponses;

  beforeAll(() => {
    answers = new DataResponses({
      views: api.follower,
      versions: RECORD_VERSIONS,
      clock: api.clock.now,
      signUrl: async (key) => `/files/${key}`,
      exports: new Exports({ stream: async () => Readable.from([]) }),
      settings: { ...defaultsOf(RESPONSE_SETTINGS), compressFromBytes: 1 },
    });
  });

  /** A route at a path, whose answer names the path. */
  function routeAt(path: `/v1/${string}`) {
    return dataRoute({
      path,
      operationId: 'getPath',
      capability: 'current',
      feature: null,
      limitPerMinute: 1,
      summary: 'A path',
      params: z.object({}),
      response: z.object({ path: z.string() }),
      example: { path },
      dependsOnText: 'nothing',
      errors: [],
      cacheControl: 'public, max-age=60',
      prepare: () => null,
      handle: () => ({ dependsOn: () => value('the same'), cached: async () => JSON.stringify({ path }) }),
    });
  }

  test('routes that are asked for the same, and depend on the same, have tags of their own', async () => {
    const paths = ['/v1/one', '/v1/other'] as const;
    const responses = await Promise.all(
      paths.map((path) => answers.respond(routeAt(path), {}, { rights: ALL_RIGHTS })),
    );
    expect(responses.map(({ body }) => JSON.parse(String(body)))).toEqual(paths.map((path) => ({ path })));
    expect(new Set(responses.map(({ headers }) => headers['ETag'])).size).toBe(2);
  });

  test('addresses of this service begin where the caller says', async () => {
    const request = {
      params: { snapshot_id: DAYS[0] ?? '' },
      query: { dataset: 'models' },
      baseUrl: 'https://a.test/v',
    };
    const { headers, body } = await answers.respond(snapshotDownloadRoute, request, { rights: ALL_RIGHTS });
    expect(JSON.parse(String(body)).url).toMatch(/^https:\/\/a\.test\/v\/files\/releases\/2026-06-01/);
    expect(headers['X-Cache']).toBe('BYPASS');
  });

  test('a body is packed once for all who want it packed', async () => {
    const ask = (mayPack: boolean) =>
      answers.respond(modelsRoute, { query: { limit: '2' }, mayPack }, { rights: ALL_RIGHTS });
    const whole = await ask(false);
    const [first, second] = await Promise.all([ask(true), ask(true)]);
    expect(gunzipSync(wholeOf(first.body ?? ''))).toEqual(whole.body);
    expect(second.body).toBe(first.body);
    const again = await ask(true);
    expect(again.body).toBe(first.body);
    expect(again.headers).toEqual({
      ...whole.headers,
      ETag: whole.headers['ETag']?.replace(/"$/, '-gzip"'),
      'X-Cache': 'HIT',
      'Content-Encoding': 'gzip',
    });
  });
});
