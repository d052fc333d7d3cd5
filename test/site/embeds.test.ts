/** Pages to embed, as whoever embeds them gets them (specification "Embeds"). */
import { describe, expect, test } from 'vitest';
import { tableRows } from '../support/charts/drawings.ts';
import { activeParts, elementsIn } from '../support/site/elements.ts';
import { openPublic, usePublic } from '../support/site/use-public.ts';
import { AFTER_NEWEST, ARABIC, HOSTILE, JAPANESE, LONG, publishEmbeddedDays } from '../worlds/embedded-days.ts';

const BASE = 'https://stats.example.com/stats';

const WORLD = { days: publishEmbeddedDays, now: AFTER_NEWEST };
const api = usePublic({ ...WORLD, settings: { basePath: '/stats', publicUrl: 'https://stats.example.com' } });

const pathOf = (folder: string, id: string, query = '') => `/stats/embed/${folder}/${encodeURIComponent(id)}${query}`;
const MODEL = pathOf('models', 'lab/atlas-2');
const RANKING = pathOf('rankings', 'text');

/** The page of a 200. */
async function page(path: string) {
  const { statusCode, body } = await api.get(path);
  if (statusCode !== 200) throw new Error(`${path}: ${statusCode} ${body}`);
  return pageFrom(body);
}

function pageFrom(html: string) {
  const elements = elementsIn(html);
  const textsOf = (name: string) => elements.filter((element) => element.name === name).map(({ text }) => text);
  const facts = textsOf('dt').map((label, i) => `${label}: ${textsOf('dd')[i]}`);
  const [title = ''] = textsOf('strong');
  return { html, elements, textsOf, facts, chart: title, rows: tableRows(html) };
}

/** Every kind of page, with everything odd that data and addresses may have. */
const ALL = [
  ...['lab/atlas-2', HOSTILE, 'long', 'arabic', 'hebrew', 'japanese', 'bare-model', 'in-yen', 'new'].map((id) =>
    pathOf('models', id),
  ),
  ...['text', 'code/rust', HOSTILE, 'ended', 'fresh'].map((id) => pathOf('rankings', id)),
  `${MODEL}?metric=score`,
  `${MODEL}?metric=price&provider=cirrus&theme=dark`,
  `${MODEL}?benchmark=${encodeURIComponent(HOSTILE)}`,
  `${RANKING}?theme=light`,
];
const REFUSED = [
  [404, pathOf('models', HOSTILE.repeat(2))],
  [404, pathOf('models', 'gone')],
  [404, pathOf('rankings', 'no such')],
  [404, `${MODEL}?category=${encodeURIComponent(HOSTILE.slice(3))}`],
  [422, `${MODEL}?theme=${encodeURIComponent(HOSTILE)}`],
  [422, `${MODEL}?metric=price&category=text`],
  [422, pathOf('models', 'x'.repeat(201))],
] as const;

describe('whoever frames a page', () => {
  test.each([...ALL.map((path) => [200, path] as const), ...REFUSED])(
    'may do so on any site, and nothing but its own style sheet is allowed in it: %i %s',
    async (status, path) => {
      for (const encoding of ['identity', 'br']) {
        const { statusCode, headers } = await api.get(path, { 'accept-encoding': encoding });
        expect(statusCode).toBe(status);
        expect(Object.keys(headers)).not.toContain('x-frame-options');
        expect(headers).toMatchObject({
          'content-security-policy':
            "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors *",
          'content-type': 'text/html; charset=utf-8',
          'cross-origin-resource-policy': 'cross-origin',
          'access-control-allow-origin': '*',
          'x-content-type-options': 'nosniff',
        });
      }
    },
  );

  test('may not do so with other routes', async () => {
    expect((await api.get('/stats/badges/source.json')).headers['x-frame-options']).toBe('SAMEORIGIN');
  });
});

test.each([...ALL, ...REFUSED.map(([, path]) => path)])('%s is text and drawing alone', async (path) => {
  const { body } = await api.get(path);
  const { elements, textsOf } = pageFrom(body);
  expect(activeParts(body).filter((part) => part !== 'svg')).toEqual([]);
  expect(elements.filter(({ name }) => ['form', 'b'].includes(name))).toEqual([]);
  expect(textsOf('title')[0]).toMatch(/^.+ · modelstats$/);
  expect(textsOf('h1')).toHaveLength(1);
  expect(elements.find(({ name }) => name === 'html')?.attributes).toEqual({ lang: 'en' });
  expect(elements.find(({ attributes: of }) => of['name'] === 'robots')?.attributes['content']).toBe('noindex');
});

const OUTWARDS = { href: expect.stringMatching(/^https:/), target: '_blank', rel: 'noopener' };

test.each(ALL)('every link of %s leads out of the frame and to this service', async (path) => {
  const { elements } = await page(path);
  const links = elements.filter(({ name }) => name === 'a').map(({ attributes }) => attributes);
  expect(links).not.toHaveLength(0);
  for (const { href, target, rel } of links) expect({ href, target, rel }).toEqual(OUTWARDS);
  const addresses = elements.flatMap(({ name, attributes: { href } }) =>
    name === 'use' || href === undefined ? [] : [new URL(href, `${BASE}/embed/models/x`).href],
  );
  expect(addresses.filter((address) => !address.startsWith(`${BASE}/`))).toEqual([]);
  expect(links.map(({ href }) => href)).toContain(`${BASE}/`);
});

test('a page that could not be shown leads to this service, too, however it is reached', async () => {
  const { body } = await api.get(pathOf('models', 'gone'));
  const from = new URL(pathOf('models', 'gone'), 'https://elsewhere.example.com');
  const leads = pageFrom(body).elements.flatMap(({ attributes: { href } }) => (href ? [new URL(href, from).href] : []));
  expect(leads).toEqual([
    expect.stringMatching(/^https:\/\/elsewhere\.example\.com\/stats\/embed\/styles\/auto\.css\?v=\w{12}$/),
    'https://elsewhere.example.com/stats/',
  ]);
});

/** The rows of what was there on the first day and on the third. */
function lines(name: string, value: string): readonly string[] {
  return [`3 Jun 2026 | ${name} | ${value}`, `2 Jun 2026 | ${name} | no data`, `1 Jun 2026 | ${name} | ${value}`];
}

/** The rows of what changed after the first day. */
function lowered(name: string, before: string, after: string): readonly string[] {
  return [`2 to 3 Jun 2026 | ${name} | ${after}`, `1 Jun 2026 | ${name} | ${before}`];
}

describe('the page of a model', () => {
  test('tells what it is, and how it came to its rank where it stands best', async () => {
    const { textsOf, facts, chart, rows } = await page(MODEL);
    expect([textsOf('h1'), textsOf('p')]).toEqual([['Atlas 2'], ['Lab']]);
    expect(facts).toEqual([
      'Context: 400,000 tokens',
      'Released: 1 May 2026',
      'Lowest price per 1 M tokens: $2.00 in, $8.00 out (nimbus)',
      'Best ranks: #1 in text, #2 in code/rust',
    ]);
    expect(chart).toBe('Rank in text');
    expect(rows).toEqual(['3 Jun 2026 | text | 1', '2 Jun 2026 | text | no data', '1 Jun 2026 | text | 2']);
    expect(textsOf('time')).toEqual(['as of 3 Jun 2026']);
  });

  test.each([
    ['?category=code/rust', 'Rank in code/rust', lines('code/rust', '2')],
    ['?metric=score', 'Score in Many / percent correct', ['1 to 3 Jun 2026 | Many / percent correct | 71.25']],
    ['?metric=score&benchmark=a-few', 'Score in A few', ['1 to 3 Jun 2026 | A few | 0.5']],
    ['?benchmark=a-few', 'Score in A few', ['1 to 3 Jun 2026 | A few | 0.5']],
    [
      '?metric=price',
      'Price at nimbus',
      [...lowered('Input', '$2.50', '$2.00'), ...lowered('Output', '$10.00', '$8.00')],
    ],
    ['?provider=cirrus', 'Price at cirrus', [...lines('Input', '$3.00'), ...lines('Output', '$12.00')]],
  ])('shows what %s asks for', async (query, title, shown) => {
    const { chart, rows } = await page(MODEL + query);
    expect([chart, rows]).toEqual([title, shown]);
  });

  test.each([
    ['in-yen', 'Price at nimbus', 'Lowest price per 1 M tokens: 90 JPY in, 360 JPY out (nimbus)'],
    ['measured-only', 'Score in Many / percent correct', 'Released: 1 May 2026'],
    ['new', 'Rank in fresh', 'Best ranks: #1 in fresh'],
  ])('shows the price where %s has no rank, and else a score', async (id, title, fact) => {
    const { chart, facts } = await page(pathOf('models', id));
    expect([chart, facts]).toEqual([title, expect.arrayContaining([fact])]);
  });

  test('has a chart of a single day, and of a category in which it is not ranked any more or was never', async () => {
    expect((await page(pathOf('models', 'new'))).rows).toContain('3 Jun 2026 | fresh | 1');
    const { html, rows } = await page(pathOf('models', 'in-yen', '?category=text'));
    expect(rows).toEqual(['1 to 3 Jun 2026 | text | no data']);
    expect(html).not.toMatch(/NaN|undefined|null/);
  });

  test('says where there is nothing, and leaves out what is not known', async () => {
    const bare = await page(pathOf('models', 'bare-model'));
    expect([bare.facts, bare.chart]).toEqual([[], '']);
    expect(bare.textsOf('p')).toEqual(['It has neither ranks nor prices nor scores yet.']);
    const unranked = await page(pathOf('models', 'in-yen', '?metric=rank'));
    expect([unranked.chart, unranked.textsOf('p')]).toEqual(['', ['Lab', 'It is not ranked.']]);
  });

  test.each([
    ['gone', 'This model is no longer listed'],
    ['never-was', 'There is no such model'],
  ])('says that %s is not there', async (id, words) => {
    const { statusCode, headers, body } = await api.get(pathOf('models', id));
    const { textsOf } = pageFrom(body);
    expect([statusCode, textsOf('h1'), textsOf('title')]).toEqual([404, [words], [`${words} · modelstats`]]);
    expect(headers['cache-control']).toBe('public, max-age=60');
  });

  test('says which parameter is wrong', async () => {
    const { body } = await api.get(`${MODEL}?metric=price&category=text`);
    expect(pageFrom(body).textsOf('p')).toEqual(['query.category: Only with metric=rank']);
  });

  test.each([
    [HOSTILE, HOSTILE],
    ['long', LONG],
    ['arabic', ARABIC],
    ['japanese', JAPANESE],
  ])('has the name %s as text, in its own direction', async (id, name) => {
    const { elements, textsOf } = await page(pathOf('models', id));
    expect(textsOf('title')[0]).toBe(`${name} · modelstats`);
    const heading = elements.find((element) => element.name === 'h1');
    expect(heading).toMatchObject({ text: name, attributes: { dir: 'auto', title: name } });
  });
});

describe('the page of a ranking', () => {
  test('lists the first ten by their names, and shows how the first six came there', async () => {
    const { elements, textsOf, chart, rows } = await page(RANKING);
    expect([textsOf('h1'), textsOf('p')]).toEqual([['Best models: text'], ['12 models, 3 Jun 2026']]);
    const places = elements.filter(({ name, attributes }) => name === 'li' && 'value' in attributes);
    expect(places.map(({ attributes: { value }, text }) => `${value} ${text}`)).toEqual([
      ...['1 Atlas 2', '2 Atlas mini', `3 ${HOSTILE}`, `4 ${LONG}`, `5 ${ARABIC}`],
      ...['6 מודל שפה', `7 ${JAPANESE}`, '8 twin', '9 other-twin', '10 Ninth'],
    ]);
    expect(chart).toBe('Rank history of the first 6');
    expect(rows.filter((row) => /Atlas.*\d$/.test(row))).toEqual([
      ...['3 Jun 2026 | Atlas 2 | 1', '1 Jun 2026 | Atlas 2 | 2'],
      ...['3 Jun 2026 | Atlas mini | 2', '1 Jun 2026 | Atlas mini | 1'],
    ]);
    expect(new Set(rows.map((row) => row.split(' | ')[1])).size).toBe(6);
  });

  test('leads to the page of each model', async () => {
    const { elements } = await page(RANKING);
    const links = elements.flatMap(({ name, attributes: { href = '' } }) => (name === 'a' ? [href] : []));
    const own = links.filter((href) => href.includes('/embed/models/'));
    expect(own).toHaveLength(10);
    for (const href of own) expect((await api.get(new URL(href).pathname)).statusCode).toBe(200);
  });

  test('tells who shares a place', async () => {
    const { elements } = await page(pathOf('rankings', 'code/rust'));
    const places = elements.filter(({ name, attributes }) => name === 'li' && 'value' in attributes);
    expect(places.map(({ attributes: { value } }) => value)).toEqual(['1', '2', '2']);
  });

  test('says that nobody is ranked any more, and that there is no such category', async () => {
    expect((await page(pathOf('rankings', 'ended'))).textsOf('p')).toContain('No model is ranked in it now.');
    const { statusCode, body } = await api.get(pathOf('rankings', 'never-was'));
    expect([statusCode, pageFrom(body).textsOf('h1')]).toEqual([404, ['There is no such category']]);
  });
});

describe('the style sheet', () => {
  const sheetOf = async (path: string) => {
    const { body } = await api.get(path);
    const { href = '' } =
      pageFrom(body).elements.find(({ attributes: { rel } }) => rel === 'stylesheet')?.attributes ?? {};
    return { href, ...(await api.get(new URL(href, `${BASE}/embed/models/x`).pathname)) };
  };

  test('is that of the charts and of these pages, may be kept for a year, and be read from a sandbox', async () => {
    const { statusCode, headers, body } = await sheetOf(MODEL);
    expect(statusCode).toBe(200);
    expect(body).toContain('.chart-line');
    expect(body).toContain('.places');
    expect(headers).toMatchObject({
      'content-type': 'text/css; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      'cross-origin-resource-policy': 'cross-origin',
    });
  });

  test.each([
    ['', 'auto.css', ['(prefers-color-scheme: dark)'], 'light dark'],
    ['?theme=light', 'light.css', ['not all'], 'light'],
    ['?theme=dark', 'dark.css', ['all'], 'dark'],
  ])('follows the reader, or the theme: %s', async (query, name, conditions, scheme) => {
    const { href, body } = await sheetOf(MODEL + query);
    expect(href, 'of the host that the page came from').toMatch(
      new RegExp(`^\\.\\./\\.\\./embed/styles/${name}\\?v=\\w{12}$`),
    );
    const found = new Set([...body.matchAll(/@media ([^{]+) \{\s*:root/g)].map(([, condition]) => condition));
    expect([...found]).toEqual(conditions);
    const { elements } = await page(MODEL + query);
    const meta = elements.find(({ attributes: of }) => of['name'] === 'color-scheme');
    expect(meta?.attributes['content']).toBe(scheme);
  });

  test('is the one of the theme on a page that could not be shown, too, and there is no other', async () => {
    expect((await sheetOf(pathOf('models', 'gone', '?theme=dark'))).href).toContain('/dark.css');
    expect((await api.get('/stats/embed/styles/other.css')).statusCode).toBe(404);
  });
});

describe('without histories', () => {
  const bare = usePublic({ ...WORLD, planned: ['history'] });

  test.each(['/embed/models/lab%2Fatlas-2', '/embed/models/bare-model', '/embed/rankings/text'])(
    '%s has facts alone',
    async (path) => {
      const { chart, textsOf, html } = pageFrom((await bare.get(path)).body);
      expect([textsOf('h1').length, chart, textsOf('svg')]).toEqual([1, '', []]);
      expect(html).not.toMatch(/neither ranks|not available/);
    },
  );
});

test('on the last day of the window of Community its days are shown, and later what lies before it is left out', async () => {
  const own = await openPublic({ ...WORLD, now: '2026-12-02T12:00:00Z' });
  const pageNow = async () => pageFrom((await own.get('/embed/models/lab%2Fatlas-2')).body);
  expect((await pageNow()).rows).toEqual(['3 Jun 2026 | text | 1', '2 Jun 2026 | text | no data']);
  own.clock.advance(3 * 86_400_000);
  expect(await pageNow()).toMatchObject({ chart: '', rows: [] });
});

test('a service that is asked too often says so in the frame', async () => {
  const busy = await openPublic({ ...WORLD, requestsPerMinute: 1 });
  await busy.get('/embed/models/long');
  const { statusCode, body, headers } = await busy.get('/embed/models/long?theme=dark');
  expect([statusCode, pageFrom(body).textsOf('h1')]).toEqual([429, ['Too many requests from your address']]);
  expect(Object.keys(headers)).not.toContain('x-frame-options');
});
