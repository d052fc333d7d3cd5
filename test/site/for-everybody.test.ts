/** What all answers without a key have in common (specification "Answers for everybody"). */
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { LIMIT_HEADERS, namesAmong, steadyError, steadyHeaders } from '../support/api/answers.ts';
import { Documented } from '../support/api/documented.ts';
import type { TestApi } from '../support/api/open-api.ts';
import { openGuide } from '../support/guide/use-guide.ts';
import { MODEL, SAMPLE_DAYS } from '../support/pipeline/sample-store.ts';
import { openPublic, usePublic } from '../support/site/use-public.ts';

const api = usePublic();
const BADGE = `/badges/models/${MODEL}.svg`;
const FEED = '/feeds/changes.atom';
const BADGES = [BADGE, `/badges/models/${MODEL}.json`, '/badges/source.svg', '/badges/source.json'];
const PATHS = [...BADGES, FEED, '/feeds/changes.json', '/'];
const GZIP = { 'accept-encoding': 'gzip' };

/** How each of the paths is answered, one after the other. */
async function statusesOf(own: TestApi, paths: readonly string[]): Promise<readonly number[]> {
  const statuses: number[] = [];
  for (const path of paths) statuses.push((await own.get(path)).statusCode);
  return statuses;
}

/** What says of each of the paths, one after the other, whether its answer was made anew. */
async function cachesOf(own: TestApi, ...paths: readonly string[]): Promise<readonly unknown[]> {
  const told: unknown[] = [];
  for (const path of paths) told.push((await own.get(path)).headers['x-cache']);
  return told;
}

describe('who asks', () => {
  test.each(PATHS)('%s needs no key, tells no limits, costs no quota, and is read by any site', async (path) => {
    const { customers } = api.accounts;
    const answers = [await api.get(path), await api.ask(customers.community, path)];
    for (const response of answers) {
      expect(response.statusCode).toBe(200);
      expect(namesAmong(LIMIT_HEADERS, response)).toEqual([]);
      expect(response.headers).toMatchObject({
        'access-control-allow-origin': '*',
        'cross-origin-resource-policy': 'cross-origin',
        'cache-control': 'public, max-age=3600',
        'x-content-type-options': 'nosniff',
      });
    }
    expect((await api.accountOf(customers.community)).usage.used).toBe(0);
  });

  test.each([
    ['/badges/models/nobody.svg', 404],
    [`${BADGE}?metric=x`, 422],
    ['/badges/models/%ff.svg', 400],
    [`${BADGE}?label=%ff`, 400],
    ['/badges/models/{2500 characters}.svg', 414],
  ])('%s is refused with %i, which any site may read too', async (path, status) => {
    const { statusCode, headers } = await api.get(path.replace('{2500 characters}', 'x'.repeat(2500)));
    expect(statusCode).toBe(status);
    // A path that can't be read names no route, so nothing is known of it.
    if (path.includes('models/%ff')) return;
    expect(headers).toMatchObject({
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
    });
  });
});

describe('an answer', () => {
  test('is made once for a release and a day, each form of the question by itself', async () => {
    const own = await openPublic({ days: SAMPLE_DAYS.slice(0, 2) });
    const asked = await cachesOf(own, BADGE, BADGE, `${BADGE}?label=x`, BADGE);
    expect(asked).toEqual(['MISS', 'HIT', 'MISS', 'HIT']);
    own.clock.advance(86_400_000);
    expect(await cachesOf(own, BADGE, BADGE)).toEqual(['MISS', 'HIT']);
    await own.store.publish('2026-06-05', { models: [{ id: MODEL, name: 'Renamed' }] });
    await own.follower.refresh();
    const renamed = await own.get(BADGE);
    expect([renamed.headers['x-cache'], renamed.body.includes('Renamed')]).toEqual(['MISS', true]);
  });

  test('keeps its tag through a night that changes nothing of it', async () => {
    const own = await openPublic({ days: SAMPLE_DAYS.slice(0, 1) });
    const tag = async () => (await own.get('/badges/source.svg')).headers.etag;
    const before = await tag();
    await own.store.publish('2026-06-05', { models: [{ id: 'new', name: 'New' }] });
    await own.follower.refresh();
    expect(await tag()).toBe(before);
  });

  test('whose tag is sent is 304 without a body, whichever way the tag came', async () => {
    const { headers, body } = await api.get(BADGE);
    const tag = String(headers.etag);
    for (const sent of [tag, `W/${tag}`, `"x", ${tag}`, tag.replace(/"$/, '-gzip"'), '*']) {
      const answer = await api.get(BADGE, { 'if-none-match': sent });
      expect([answer.statusCode, answer.body, answer.headers['x-cache']]).toEqual([304, '', 'HIT']);
      expect(answer.headers).toMatchObject({
        'cache-control': 'public, max-age=3600',
        vary: 'accept-encoding',
        'cross-origin-resource-policy': 'cross-origin',
      });
      expect(answer.headers).not.toHaveProperty('content-type');
    }
    expect((await api.get(BADGE, { 'if-none-match': '"another"' })).body).toBe(body);
    expect((await api.get('/badges/models/nobody.svg', { 'if-none-match': '*' })).statusCode).toBe(404);
  });

  test('is not made again for a question that is only spelled in another way', async () => {
    const own = await openPublic();
    for (const [path, ...others] of [
      [FEED, `${FEED}?x=1`, `${FEED}?`, '/%66eeds/changes.atom?x=2'],
      [`${BADGE}?metric=price&style=plastic`, `${BADGE}?style=plastic&x=1&metric=pr%69ce`],
      [BADGE, `${BADGE}?metric=rank`],
      ['/', '/?x'],
    ] as const) {
      expect([path, await cachesOf(own, path, ...others)]).toEqual([path, ['MISS', ...others.map(() => 'HIT')]]);
    }
    expect(await cachesOf(own, '/feeds/changes.json')).toEqual(['MISS']);
  });

  test('is packed once, under a tag of its own', async () => {
    const plain = await api.get(BADGE);
    const [packed, again] = [await api.get(BADGE, GZIP), await api.get(BADGE, GZIP)];
    expect(packed.headers).toMatchObject({
      'content-encoding': 'gzip',
      etag: String(plain.headers.etag).replace(/"$/, '-gzip"'),
      vary: 'accept-encoding',
    });
    expect(gunzipSync(packed.rawPayload).toString()).toBe(plain.body);
    expect(again.rawPayload).toEqual(packed.rawPayload);
    const small = await api.get('/badges/source.json', GZIP);
    expect(small.headers).not.toHaveProperty('content-encoding');
  });
});

describe('the limit of a client address', () => {
  const statusFrom = async (own: TestApi, remoteAddress: string, forwarded?: string) => {
    const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded };
    return (await own.app.inject({ url: '/badges/source.svg', remoteAddress, headers })).statusCode;
  };

  test('holds for all of them together, in any 60 seconds, and nobody else’s', async () => {
    const own = await openPublic({ requestsPerMinute: 3 });
    expect(await statusesOf(own, [BADGE, '/', '/badges/source.json', BADGE])).toEqual([200, 200, 200, 429]);
    expect(await statusFrom(own, '203.0.113.9')).toBe(200);
    own.clock.advance(61_000);
    expect((await own.get(BADGE)).statusCode).toBe(200);
  });

  test('holds for searches of the documentation with them, and for none of its pages', async () => {
    const own = await openPublic({ requestsPerMinute: 2, guide: () => openGuide({ publicRequestsMax: 2 }) });
    const search = '/docs/search?q=plan';
    const statuses = await statusesOf(own, [search, '/docs', BADGE, search, '/docs', BADGE]);
    expect(statuses).toEqual([200, 200, 200, 429, 200, 429]);
    const { headers, body } = await own.get(search);
    expect(headers).toMatchObject({ 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' });
    expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    expect(body).toContain('Too many requests from your address');
    own.clock.advance(61_000);
    expect((await own.get(search)).statusCode).toBe(200);
  });

  test('is that of the client behind a trusted proxy, and of whoever else claims to be one', async () => {
    const own = await openPublic({ requestsPerMinute: 1, settings: { trustedProxies: ['127.0.0.1'] } });
    const statuses = [
      await statusFrom(own, '127.0.0.1', '203.0.113.1'),
      await statusFrom(own, '127.0.0.1', '203.0.113.2'),
      await statusFrom(own, '127.0.0.1', '203.0.113.1'),
      await statusFrom(own, '198.51.100.1', '203.0.113.3'),
      await statusFrom(own, '198.51.100.1', '203.0.113.4'),
    ];
    expect(statuses).toEqual([200, 200, 429, 200, 429]);
  });
});

test('in the OpenAPI document each badge is an operation without a key, with its parameters and the forms of its answers', async () => {
  const { operations } = new Documented(await api.json('/openapi.json'), { isClosed: false });
  const open = operations.filter(({ tags }) => tags.includes('without a key'));
  const badges = ['/badges/models/{id}.svg', '/badges/models/{id}.json', '/badges/source.svg', '/badges/source.json'];
  expect(open.map(({ path }) => path)).toEqual(expect.arrayContaining(badges));
  expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length);
  for (const { security, parameters } of open) {
    expect(security).toEqual([]);
    for (const { description, schema } of parameters) expect([description, schema]).not.toContain(undefined);
  }
  const badge = open.find(({ path }) => path === '/badges/models/{id}.svg');
  expect(badge?.parameters.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['id', 'metric', 'category', 'benchmark', 'provider', 'label', 'style', 'color']),
  );
  for (const [id, query, status] of [
    ['aurora-2', '', 200],
    ['nobody', '', 404],
    ['aurora-2', '?metric=x', 422],
  ] as const) {
    const response = await api.get(`/badges/models/${id}.svg${query}`);
    const [type = ''] = String(response.headers['content-type']).split(';', 1);
    expect([response.statusCode, Object.keys(badge?.responses[status]?.content ?? {})]).toEqual([status, [type]]);
  }
});

test('where embeds is not live, all of them are unknown routes, documented nowhere, and the first page is there', async () => {
  const own = await openPublic({ planned: ['embeds', 'exports'] });
  const appearance = async (url: string) => {
    const response = await own.get(url);
    return [response.statusCode, steadyHeaders(response), steadyError(response)];
  };
  const unknown = await appearance('/nothing');
  for (const path of PATHS.filter((one) => one !== '/')) expect(await appearance(path)).toEqual(unknown);
  const { statusCode, body } = await own.get('/');
  expect([statusCode, body.includes('badges')]).toEqual([200, false]);
  expect(JSON.stringify(await own.json('/openapi.json'))).not.toMatch(/badges|without a key/);
});
