/** What all answers without a key have in common (specification "Answers for everybody"). */
import { request } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import { LIMIT_HEADERS, namesAmong, steadyError, steadyHeaders } from '../support/api/answers.ts';
import { listen } from '../support/api/listen.ts';
import { openGuide } from '../support/guide/use-guide.ts';
import { MODEL, SAMPLE_DAYS } from '../support/pipeline/sample-store.ts';
import { openPublic, type PublicOptions, usePublic } from '../support/public/use-public.ts';

const api = usePublic();
const BADGE = `/badges/models/${MODEL}.svg`;
const PATHS = [BADGE, `/badges/models/${MODEL}.json`, '/badges/source.svg', '/badges/source.json', '/'];

async function openFor(options: PublicOptions) {
  const own = await openPublic(options);
  onTestFinished(() => own.close());
  return own;
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

  test('other methods are refused, and HEAD is answered like GET, without the body', async () => {
    const url = await listen((await openFor({})).app);
    for (const path of PATHS) {
      const post = await fetch(url + path, { method: 'POST' });
      expect([path, post.status, post.headers.get('allow')]).toEqual([path, 405, 'GET, HEAD']);
      const get = await fetch(url + path);
      const head = await fetch(url + path, { method: 'HEAD' });
      expect([path, head.status, await head.text()]).toEqual([path, 200, '']);
      const told = ({ headers }: Response) =>
        ['etag', 'content-type', 'content-length'].map((name) => headers.get(name));
      expect(told(head)).toEqual(told(get));
    }
  });
});

describe('an answer', () => {
  test('is made once for a release and a day, each form of the question by itself', async () => {
    const own = await openFor({ days: SAMPLE_DAYS.slice(0, 2) });
    const cacheOf = async (path: string) => (await own.get(path)).headers['x-cache'];
    const asked = [await cacheOf(BADGE), await cacheOf(BADGE), await cacheOf(`${BADGE}?label=x`), await cacheOf(BADGE)];
    expect(asked).toEqual(['MISS', 'HIT', 'MISS', 'HIT']);
    own.clock.advance(86_400_000);
    expect([await cacheOf(BADGE), await cacheOf(BADGE)]).toEqual(['MISS', 'HIT']);
    await own.store.publish('2026-06-05', { models: [{ id: MODEL, name: 'Renamed' }] });
    await own.follower.refresh();
    const renamed = await own.get(BADGE);
    expect([renamed.headers['x-cache'], renamed.body.includes('Renamed')]).toEqual(['MISS', true]);
  });

  test('keeps its tag through a night that changes nothing of it', async () => {
    const own = await openFor({ days: SAMPLE_DAYS.slice(0, 1) });
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
    const own = await openFor({});
    const cacheOf = async (path: string) => (await own.get(path)).headers['x-cache'];
    for (const [path, others] of [
      ['/feeds/changes.atom', ['/feeds/changes.atom?x=1', '/feeds/changes.atom?', '/%66eeds/changes.atom?x=2']],
      [`${BADGE}?metric=price&style=plastic`, [`${BADGE}?style=plastic&x=1&metric=pr%69ce`]],
      [BADGE, [`${BADGE}?metric=rank`]],
      ['/', ['/?x']],
    ] as const) {
      expect([path, await cacheOf(path)]).toEqual([path, 'MISS']);
      for (const other of others) expect([other, await cacheOf(other)]).toEqual([other, 'HIT']);
    }
    expect(await cacheOf('/feeds/changes.json')).toBe('MISS');
  });

  test('is packed once, under a tag of its own', async () => {
    const plain = await api.get(BADGE);
    const [packed, again] = [
      await api.get(BADGE, { 'accept-encoding': 'gzip' }),
      await api.get(BADGE, { 'accept-encoding': 'gzip' }),
    ];
    expect(packed.headers).toMatchObject({
      'content-encoding': 'gzip',
      etag: String(plain.headers.etag).replace(/"$/, '-gzip"'),
      vary: 'accept-encoding',
    });
    expect(gunzipSync(packed.rawPayload).toString()).toBe(plain.body);
    expect(again.rawPayload).toEqual(packed.rawPayload);
    const small = await api.get('/badges/source.json', { 'accept-encoding': 'gzip' });
    expect(small.headers).not.toHaveProperty('content-encoding');
  });

  test('has no header twice, whole, packed, unchanged or refused', async () => {
    const url = await listen((await openFor({})).app);
    const asked: readonly (readonly [string, Record<string, string>])[] = [
      [BADGE, {}],
      [BADGE, { 'accept-encoding': 'gzip' }],
      [BADGE, { 'accept-encoding': 'br' }],
      ['/badges/models/nobody.svg', {}],
      ['/badges/models/nobody.svg', { 'accept-encoding': 'gzip' }],
      ['/badges/models/nobody.json', {}],
      ['/badges/none', {}],
      ['/', {}],
    ];
    for (const [path, headers] of asked) {
      const names = await rawNames(url + path, headers);
      expect([path, names.filter((name, i) => names.indexOf(name) < i)]).toEqual([path, []]);
      expect(names).toContain('cross-origin-resource-policy');
    }
  });
});

/** The names of an answer's headers, as they came. */
async function rawNames(url: string, headers: Record<string, string>): Promise<readonly string[]> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { headers, agent: false }, (response) => {
      response.resume();
      resolve(response.rawHeaders.filter((_, i) => i % 2 === 0).map((name) => name.toLowerCase()));
    });
    asked.on('error', reject);
    asked.end();
  });
}

describe('the limit of a client address', () => {
  const statusFrom = async (own: Awaited<ReturnType<typeof openFor>>, remoteAddress: string, forwarded?: string) => {
    const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded };
    return (await own.app.inject({ url: '/badges/source.svg', remoteAddress, headers })).statusCode;
  };

  test('holds for all of them together, in any 60 seconds, and nobody else’s', async () => {
    const own = await openFor({ requestsPerMinute: 3 });
    const statuses: number[] = [];
    for (const path of [BADGE, '/', '/badges/source.json', BADGE]) statuses.push((await own.get(path)).statusCode);
    expect(statuses).toEqual([200, 200, 200, 429]);
    expect(await statusFrom(own, '203.0.113.9')).toBe(200);
    own.clock.advance(61_000);
    expect((await own.get(BADGE)).statusCode).toBe(200);
  });

  test('holds for searches of the documentation with them, and for none of its pages', async () => {
    const own = await openFor({ requestsPerMinute: 2, guide: () => openGuide({ publicRequestsMax: 2 }) });
    const statuses: number[] = [];
    for (const path of ['/docs/search?q=plan', '/docs', BADGE, '/docs/search?q=plan', '/docs', BADGE])
      statuses.push((await own.get(path)).statusCode);
    expect(statuses).toEqual([200, 200, 200, 429, 200, 429]);
    const { headers, body } = await own.get('/docs/search?q=plan');
    expect(headers).toMatchObject({ 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' });
    expect([Number(headers['retry-after']) > 0, body.includes('Too many requests come from your address')]).toEqual([
      true,
      true,
    ]);
    own.clock.advance(61_000);
    expect((await own.get('/docs/search?q=plan')).statusCode).toBe(200);
  });

  test('is that of a /64 of IPv6', async () => {
    const own = await openFor({ requestsPerMinute: 1 });
    const addresses = [
      '2001:db8:1:2::1',
      '2001:db8:1:2:ffff::9',
      '2001:db8:1:3::1',
      '::ffff:203.0.113.4',
      '203.0.113.4',
    ];
    const statuses: number[] = [];
    for (const address of addresses) statuses.push(await statusFrom(own, address));
    expect(statuses).toEqual([200, 429, 200, 200, 429]);
  });

  test('is that of the client behind a trusted proxy, and of whoever else claims to be one', async () => {
    const own = await openFor({ requestsPerMinute: 1, settings: { trustedProxies: ['127.0.0.1'] } });
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

test('where embeds is not live, all of them are unknown routes, and the first page is there', async () => {
  const own = await openFor({ planned: ['embeds'] });
  const appearance = async (url: string) => {
    const response = await own.get(url);
    return [response.statusCode, steadyHeaders(response), steadyError(response)];
  };
  const unknown = await appearance('/nothing');
  for (const path of PATHS.filter((one) => one !== '/')) expect(await appearance(path)).toEqual(unknown);
  const { statusCode, body } = await own.get('/');
  expect([statusCode, body.includes('badges')]).toEqual([200, false]);
});

describe('the address of the service', () => {
  test('below a base path they are there, and nowhere else', async () => {
    const own = await openFor({ settings: { basePath: '/stats' } });
    for (const path of PATHS) expect([path, (await own.get(`/stats${path}`)).statusCode]).toEqual([path, 200]);
    expect((await own.get('/stats')).statusCode).toBe(200);
    for (const path of PATHS) expect([path, (await own.get(path)).statusCode]).toEqual([path, 404]);
  });

  test.each([
    [undefined, 'http://stats.test/stats'],
    ['https://stats.example.com', 'https://stats.example.com/stats'],
  ])('with the public URL %s they name %s', async (publicUrl, named) => {
    const own = await openFor({ settings: { basePath: '/stats', publicUrl } });
    const { body } = await own.get('/stats/', { host: 'stats.test' });
    expect(body).toContain(`${named}/badges/models/{id}.svg`);
    expect((await own.get('/stats/', { host: 'other.test' })).body.includes('stats.test')).toBe(false);
  });
});
