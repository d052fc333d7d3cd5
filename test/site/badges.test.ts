/** Badges over a day of names of every kind (specification "Badges"). */
import { describe, expect, test } from 'vitest';
import { activeParts } from '../support/site/elements.ts';
import { openPublic, usePublic } from '../support/site/use-public.ts';
import { elementsOf, parseXml, textsOf } from '../support/site/xml-tree.ts';
import { BADGES_DAY, ODD_NAMES } from '../worlds/badges-day.ts';

const api = usePublic({ days: (store) => store.publish('2026-06-01', BADGES_DAY) });

const pathOf = (id: string, suffix = 'svg') => `/badges/models/${encodeURIComponent(id)}.${suffix}`;

/** What a badge says: its status, label and message, and the colour of the message. */
async function badgeOf(path: string) {
  const response = await api.get(path);
  if (path.includes('.json')) {
    const { label, message, color, isError = false } = response.json();
    return { status: response.statusCode, label, message, color, isError };
  }
  const root = parseXml(response.body);
  const [label, message] = new Set(textsOf(root, 'text'));
  const fills = elementsOf(root).flatMap(({ name, attributes: { fill } }) => (name === 'rect' && fill ? [fill] : []));
  return { status: response.statusCode, label, message, color: fills[1] };
}

const messageOf = async (path: string) => (await badgeOf(path)).message;

describe('what a badge of a model says', () => {
  test.each([
    ['', '#2 of 2 in code'],
    ['?category=text', '#2 of 18 in text'],
    ['?category=vision', 'not ranked in vision'],
    ['?metric=score', '0.87312 on Math'],
    ['?metric=score&benchmark=arena', '1,284.5 on Arena <hard>'],
    ['?metric=price', '$3 / $15 per 1M at stratus'],
    ['?metric=price&provider=edge', '$3.50 / $0.075 per 1M at edge'],
  ])('with «%s» is %s, as a picture and for shields.io', async (query, message) => {
    expect(await badgeOf(`${pathOf('aurora-2')}${query}`)).toMatchObject({ status: 200, label: 'Aurora 2', message });
    expect(await badgeOf(`${pathOf('aurora-2', 'json')}${query}`)).toMatchObject({ label: 'Aurora 2', message });
  });

  test('comes from the same answers as those of the API', async () => {
    const { customers } = api.accounts;
    const asked = async (url: string) => (await api.ask(customers.community, url)).json();
    const { rankings } = await asked('/v1/models/aurora-2');
    const { total } = await asked('/v1/rankings?category=text');
    const { rank } = rankings.find(({ category }: { category: string }) => category === 'text');
    expect(await messageOf(`${pathOf('aurora-2')}?category=text`)).toBe(`#${rank} of ${total} in text`);
  });

  test('is grey, and 200, where there is no figure, whatever colour is asked for', async () => {
    for (const [metric, message] of Object.entries({ rank: 'not ranked', score: 'no score', price: 'no price' })) {
      const told = await badgeOf(`${pathOf('bare', 'json')}?metric=${metric}&color=red`);
      expect(told).toEqual({ status: 200, label: 'Bare', message, color: 'lightgrey', isError: false });
    }
  });

  test('has another label, style and colour where they are asked for', async () => {
    expect(await badgeOf(`${pathOf('aurora-2')}?label=ours%20%3C&color=2450c4&style=flat-square`)).toMatchObject({
      label: 'ours <',
      color: '#2450c4',
    });
    expect((await badgeOf(`${pathOf('aurora-2')}?style=for-the-badge`)).label).toBe('AURORA 2');
    const { body } = await api.get(`${pathOf('aurora-2', 'json')}?style=plastic&color=orange`);
    expect(JSON.parse(body)).toMatchObject({ style: 'plastic', color: 'orange' });
  });
});

describe('an id', () => {
  test.each(Object.entries(ODD_NAMES))('%s is found where it is percent-encoded', async (id, name) => {
    const response = await api.get(pathOf(id));
    expect(response.statusCode).toBe(200);
    expect(textsOf(parseXml(response.body), 'title')[0]).toContain(name.slice(0, 4));
    expect((await api.get(pathOf(id, 'json'))).json()).not.toHaveProperty('isError');
  });

  test('ends before the last suffix alone', async () => {
    expect((await badgeOf('/badges/models/acme%2Fv1.svg.svg')).label).toBe('Dotted');
    expect((await badgeOf('/badges/models/acme%2Fv1.svg.json')).label).toBe('Dotted');
    expect((await api.get('/badges/models/acme%2Fv1.svg')).statusCode).toBe(404);
  });

  test.each(['/badges/models/aurora-2', '/badges/models/aurora-2.png', '/badges/models/acme/v1.svg.svg', '/badges/'])(
    '%s is no badge: an unknown route',
    async (path) => {
      const { statusCode, body } = await api.get(path);
      expect([statusCode, JSON.parse(body).error.message]).toEqual([404, 'There is no such route']);
    },
  );
});

describe('what can not be told is a badge too', () => {
  test.each([
    ['/badges/models/nobody.svg', 404, 'unknown model'],
    [`${pathOf('x'.repeat(201))}`, 422, 'id: String should have at most 200 characters'],
    [`${pathOf('aurora-2')}?metric=gold`, 422, "metric: Input should be 'rank', 'score' or 'price'"],
    [`${pathOf('aurora-2')}?label=${'x'.repeat(101)}`, 422, 'label: String should have at most 100 characters'],
    [`${pathOf('aurora-2')}?label=`, 422, 'label: String should have at least 1 character'],
    [`${pathOf('aurora-2')}?metric=price&category=text`, 422, 'category: Only with metric=rank'],
    [`${pathOf('aurora-2')}?benchmark=math`, 422, 'benchmark: Only with metric=score'],
    [`${pathOf('aurora-2')}?label=a&label=b`, 422, /^label: Input should be a valid string/],
    [`${pathOf('aurora-2')}?color=url(%23x)`, 422, /^color: Input should be 3 or 6 hexadecimal digits/],
    [`${pathOf('aurora-2')}?style=social`, 422, /^style: Input should be 'flat', 'flat-square'/],
  ])('%s is %i %s, and for shields.io an error that it shows', async (path, status, message) => {
    expect(await badgeOf(path)).toMatchObject({ status, label: 'modelstats', message: expect.stringMatching(message) });
    expect(await badgeOf(path.replace('.svg', '.json'))).toMatchObject({
      status: 200,
      message: expect.stringMatching(message),
      isError: true,
    });
  });

  test('a model that is deleted is unknown from then on, to those who kept the badge too', async () => {
    const own = await openPublic({ days: (store) => store.publish('2026-06-01', BADGES_DAY) });
    const before = await own.get('/badges/models/bare.svg');
    const models = BADGES_DAY.models?.filter((model) => Object(model).id !== 'bare');
    await own.store.publish('2026-06-02', { ...BADGES_DAY, models });
    await own.follower.refresh();
    const after = await own.get('/badges/models/bare.svg', { 'if-none-match': String(before.headers.etag) });
    expect([before.statusCode, after.statusCode]).toEqual([200, 404]);
    expect(after.headers['cache-control']).toBe('public, max-age=60');
  });

  test('too many requests are 429 with Retry-After, as a badge that nobody keeps', async () => {
    const own = await openPublic({ requestsPerMinute: 1 });
    await own.get('/badges/source.svg');
    for (const path of ['/badges/source.svg', '/badges/source.json']) {
      const { statusCode, headers, body } = await own.get(path);
      expect([statusCode, headers['cache-control'], /too many requests/.test(body)]).toEqual([429, 'no-store', true]);
      expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    }
  });

  test('before the first night is published it is 503', async () => {
    const own = await openPublic({ days: async () => {} });
    for (const path of ['/badges/source.svg', '/badges/models/a.json']) {
      const { statusCode, body, headers } = await own.get(path);
      expect([statusCode, headers['cache-control'], /not available/.test(body)]).toEqual([503, 'no-store', true]);
    }
  });
});

const TAGS = ['<script>alert(1)</script>', '"><svg onload=alert(1)>', "' onmouseover='x"];
const HOSTILE = [...TAGS, ']]>', '&#60;b&#62;', '\u0000'];

test('nothing that is sent or stored is more than text', async () => {
  const own = ['category', 'label', 'style', 'color', 'metric', 'x'];
  const queries = [...own, 'metric=score&benchmark', 'metric=price&provider'];
  const paths = HOSTILE.flatMap((text) => [
    pathOf(text),
    ...queries.map((query) => `${pathOf('aurora-2')}?${query}=${encodeURIComponent(text)}`),
  ]);
  for (const path of [...paths, ...Object.keys(ODD_NAMES).map((id) => pathOf(id))]) {
    const { statusCode, headers, body } = await api.get(path);
    expect([200, 404, 422]).toContain(statusCode);
    expect(headers['content-security-policy']).toBe("default-src 'none'; style-src 'unsafe-inline'");
    expect(parseXml(body).name).toBe('svg');
    expect(activeParts(body)).toEqual(['svg']);
  }
});

test('the badge of the source says where data come from', async () => {
  expect(await badgeOf('/badges/source.svg')).toMatchObject({ status: 200, label: 'data', message: 'modelstats' });
  expect(await badgeOf('/badges/source.json')).toMatchObject({ label: 'data', message: 'modelstats' });
});
