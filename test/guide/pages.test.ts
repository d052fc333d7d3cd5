/** The documentation for those who use the service (specification "Documentation"). */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { PLANS } from '../../api/accounts/organizations/plans.ts';
import { CAPABILITIES, type Capability } from '../../api/data/access/rights.ts';
import { DATA_ROUTES } from '../../api/data/routes/data-routes.ts';
import { pageValuesFrom } from '../../api/guide/facts.ts';
import { chaptersOf, pathOf, prepare, readPages } from '../../api/guide/pages.ts';
import { TOOLS } from '../../api/mcp/tools/tools.ts';
import { TOPICS } from '../../api/webhooks/topics/topics.ts';
import { DATASETS, publishedColumns } from '../../schemas/datasets.ts';
import { useApi } from '../support/api/use-api.ts';
import { ROOT } from '../support/documents/text-files.ts';
import { GUIDE_FACTS, openGuide } from '../support/guide/use-guide.ts';
import { SAMPLE_DAYS } from '../support/pipeline/sample-store.ts';
import { activeParts, elementsIn } from '../support/site/elements.ts';
import { openPublic } from '../support/site/use-public.ts';

const BASE = '/stats';
const api = useApi({
  days: SAMPLE_DAYS,
  settings: { basePath: BASE, publicUrl: 'https://stats.example.org' },
  accounts: {},
  guide: () => openGuide({ root: BASE }),
});

/** What other parts of the service answer, which aren't served here. */
const ELSEWHERE = [`${BASE}/`, `${BASE}/console`];
const FOLDER = join(ROOT, 'api/guide/pages');
const NAMES = readdirSync(FOLDER).flatMap((file) => (file.endsWith('.md') ? [basename(file, '.md')] : []));
const PATHS = NAMES.map((name) => BASE + pathOf(name));

const TEXTS = new Map(NAMES.map((name) => [name, readFileSync(join(FOLDER, `${name}.md`), 'utf8')]));
const chaptersLinkedIn = (markdown: string) => [...markdown.matchAll(/\]\(([\w-]+)\.md/g)].map(([, name = '']) => name);

const linksIn = (html: string) =>
  [...html.matchAll(/ (?:href|src|action)="([^"]*)"/g)].map(([, link = '']) => link.replaceAll('&amp;', '&'));
const bodyOf = async (page: string) => (await api.get(`${BASE}/docs/${page}`)).body;
const anchorsIn = (html: string) => [...html.matchAll(/ id="([^"]*)"/g)].map(([, id = '']) => id);

test.each(PATHS)('%s is a page whose links and anchors all lead somewhere', async (path) => {
  const { statusCode, headers, body } = await api.get(path);
  expect([statusCode, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
  const anchors = anchorsIn(body);
  expect(new Set(anchors).size).toBe(anchors.length);
  for (const link of new Set(linksIn(body).filter((one) => !ELSEWHERE.includes(one)))) {
    if (link.startsWith('https://')) continue;
    const [target = '', anchor] = link.split('#', 2);
    const found = target === '' ? { statusCode: 200, body } : await api.get(target);
    expect([link, found.statusCode]).toEqual([link, 200]);
    if (anchor !== undefined) expect([link, anchorsIn(found.body).includes(anchor)]).toEqual([link, true]);
  }
});

test('every page but the changelog begins with what its reader can do after it, before the list of its sections', async () => {
  for (const path of PATHS.filter((one) => !one.endsWith('/changelog'))) {
    const { body } = await api.get(path);
    const main = elementsIn(body).slice(elementsIn(body).findIndex(({ name }) => name === 'main'));
    expect(main.slice(1, 3).map(({ name, text }) => [name, text.slice(0, 27)])).toEqual([
      ['h1', expect.any(String)],
      ['p', 'After reading this page you'],
    ]);
    expect(main.filter(({ name }) => name === 'h2').length < 3).toBe(!body.includes('class="sections"'));
  }
});

test('every page is reached from the first, and the pages of errors look like the others', async () => {
  const first = linksIn((await api.get(`${BASE}/docs/`)).body);
  expect(first).toEqual(expect.arrayContaining([...PATHS, `${BASE}/docs/errors`, `${BASE}/docs/reference`]));
  for (const path of ['/docs/errors', '/docs/errors/not_found']) {
    const { body, headers } = await api.get(BASE + path);
    expect([headers['cache-control'], typeof headers.etag]).toEqual(['public, max-age=300', 'string']);
    expect((await api.get(BASE + path, { 'if-none-match': String(headers.etag) })).statusCode).toBe(304);
    expect(linksIn(body)).toEqual(expect.arrayContaining(PATHS));
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'; style-src 'self';/);
  }
});

test("nothing but the documentation's own style sheet and script is loaded into a page, and nothing else runs", async () => {
  const scripts = new Set<string>();
  for (const path of PATHS) {
    const { headers, body } = await api.get(path);
    expect(headers['content-security-policy']).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    );
    expect(activeParts(body)).toEqual(['script']);
    const script = elementsIn(body).find(({ name }) => name === 'script');
    expect(script).toMatchObject({ attributes: { defer: '', src: expect.any(String) }, text: '' });
    scripts.add(script?.attributes['src'] ?? '');
    expect(body).toContain('rel="icon" type="image/svg+xml" href="/stats/favicon.ico"');
  }
  const [stylesheet = ''] = linksIn((await api.get(PATHS[0] ?? '')).body).filter((link) => link.includes('.css'));
  const [script = '', ...others] = scripts;
  expect([script, others]).toEqual([expect.stringMatching(/^\/stats\/docs\/assets\/copy-code\.js\?v=\w+$/), []]);
  for (const [file, type] of Object.entries({ [stylesheet]: 'css', [script]: 'javascript' })) {
    expect((await api.get(file)).headers).toMatchObject({
      'content-type': `text/${type}; charset=utf-8`,
      'cache-control': 'public, max-age=31536000, immutable',
    });
  }
});

test('what the search, an address without a page, and an error code show runs nothing', async () => {
  for (const path of ['search?q=cursor', 'errors', 'errors/not_found', 'nothing-here']) {
    const { headers, body } = await api.get(`${BASE}/docs/${path}`, { accept: 'text/html' });
    expect([path, headers['content-security-policy']]).toEqual([
      path,
      "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    ]);
    expect([path, activeParts(body)]).toEqual([path, []]);
  }
});

test('a page has a tag, is 304 where that is sent, and is packed and answered to HEAD as others are', async () => {
  const path = `${BASE}/docs/mirror`;
  const { headers } = await api.get(path);
  expect(headers['cache-control']).toBe('public, max-age=300');
  for (const sent of [String(headers.etag), '*']) {
    const unchanged = await api.get(path, { 'if-none-match': sent });
    expect([unchanged.statusCode, unchanged.body, unchanged.headers.etag]).toEqual([304, '', headers.etag]);
  }
  expect((await api.get(`${path}/no`, { 'if-none-match': '*' })).statusCode).toBe(404);
  const packed = await api.get(path, { 'accept-encoding': 'gzip' });
  expect([packed.headers['content-encoding'], packed.rawPayload.length < 12_000]).toEqual(['gzip', true]);
  const head = await api.app.inject({ method: 'HEAD', url: path });
  expect([head.statusCode, head.headers.etag]).toEqual([200, headers.etag]);
  expect((await api.app.inject({ method: 'POST', url: path })).statusCode).toBe(405);
});

describe('the address of the service', () => {
  test('stands in the examples, with the base path', async () => {
    const body = await bodyOf('');
    expect(body).toContain('https://stats.example.org/stats/v1/models?limit=2');
    expect(body).not.toContain('api.example.com');
  });

  test('is that by which the service was asked where none is configured', async () => {
    const own = await openPublic({ guide: () => openGuide() });
    for (const host of ['one.example:8080', 'two.example', 'one.example:8080']) {
      const { body } = await own.get('/docs', { host });
      expect(body).toContain(`http://${host}/v1/models?limit=2`);
    }
    const strange = await own.app.inject({ url: '/docs', headers: { host: '"><script>' } });
    expect([strange.statusCode, strange.body.includes('<script>')]).toEqual([400, false]);
  });
});

describe('what the program knows is not typed', () => {
  test('plans, limits, routes and fields stand in the pages as they stand in the code', async () => {
    const limits = await bodyOf('limits');
    for (const { displayName, burstPerMinute, dailyQuota } of Object.values(PLANS)) {
      expect(limits).toContain(`<th>${displayName}</th>`);
      expect(limits).toContain(`<td>${dailyQuota?.toLocaleString('en-US') ?? 'unlimited'}</td>`);
      expect(limits).toContain(`<td>${burstPerMinute}</td>`);
    }
    const routes = await bodyOf('routes');
    for (const { access, limitPerMinute } of DATA_ROUTES) {
      expect(routes).toContain(`GET ${access.name} <a`);
      const name = access.name.replaceAll(/[{}]/g, '.');
      expect(limits).toMatch(new RegExp(`<code>${name}</code>.*<td>${limitPerMinute}</td>`));
    }
    const records = await bodyOf('records');
    for (const dataset of Object.values(DATASETS)) {
      for (const { name, description } of publishedColumns(dataset)) {
        expect(records).toContain(`<code>${name}</code>`);
        expect(records).toContain(description.replaceAll("'", '&#39;'));
      }
    }
  });

  test('a field that came with a version says so, and each version the days that are in it', async () => {
    const records = await bodyOf('records');
    expect(records.match(/<td>text or null, since 1\.1<\/td>/g)).toHaveLength(2);
    expect(records).toMatch(/<code>1\.0<\/code><\/td>\s*<td>to 2026-11-22<\/td>\s*<td><\/td>/);
    expect(records).toMatch(
      /<code>1\.1<\/code><\/td>\s*<td>(?:from 2026-11-23 on|2026-11-23 to [-\d]+)<\/td>\s*<td><code>source<\/code> of models, <code>source<\/code> of pricing<\/td>/,
    );
  });

  test('topics and tools stand there, too', async () => {
    const webhooks = await bodyOf('webhooks');
    for (const topic of TOPICS) expect(webhooks).toContain(`<td><code>${topic}</code></td>`);
    const agents = await bodyOf('agents');
    for (const { name } of TOOLS) expect(agents).toContain(`<td><code>${name}</code></td>`);
  });

  test('a limit that is configured stands there in place of the usual one', async () => {
    const own = openGuide({ backstop: { '/v1/models': 1234 }, failedAttemptsMax: 77, publicRequestsMax: 88 });
    const html = (await own.pages()).parts.flatMap(({ pages }) => pages.map((page) => page.html)).join('');
    for (const shown of ['<td>1,234</td>', ' 77 such attempts', ' 88 times a minute']) expect(html).toContain(shown);
  });
});

test("the changelog has the lines for callers, and none of the operators' own", async () => {
  const body = await bodyOf('changelog');
  expect(body).toContain('<h2 id="030---2026-11-23">');
  expect(body).toContain('<code>/v1/sources</code>');
  expect(body).not.toMatch(/<code>(?:doctor|make bench|MODELSTATS_NOTIFY)<|Lines for operators/);
});

describe('what is not live for everybody', () => {
  /** What a reader would still ask for. */
  const TRACES: Readonly<Partial<Record<Capability, RegExp>>> = {
    pricing: /\/v1\/pricing|list-prices|\/v1\/cost|get-cost/,
    resolve: /\/v1\/resolve|resolve-model/,
    lifecycle: /\/v1\/lifecycle|list-lifecycle|\/feeds\/lifecycle/,
    history: /\/history/,
    snapshots: /\/v1\/snapshots/,
    changes: /\/v1\/changes/,
    account: /GET \/v1\/account/,
    plans: /Community|X-Quota/,
    webhooks: /[Ww]ebhook/,
    mcp: /MCP|\/mcp/,
    embeds: /\/badges|\/embed|\/feeds/,
    attribution: /earn|adds \d+/,
  };

  const NOT_CURRENT = CAPABILITIES.filter((name) => name !== 'current');
  const valuesWithout = (planned: readonly Capability[], hasConsole = true) =>
    pageValuesFrom({ ...GUIDE_FACTS, hasConsole, isLive: (name) => !planned.includes(name) });

  test.each(NOT_CURRENT)('%s leaves no link and no sentence behind', async (name) => {
    const pages = await readPages(valuesWithout([name]), '');
    expect(pages.deadLinks).toEqual([]);
    const told = pages.parts.flatMap((part) => part.pages).filter(({ name: page }) => page !== 'sync');
    const trace = TRACES[name];
    const left = told.filter(({ sections }) => sections.some(({ text }) => trace?.test(text)));
    expect(left.map((page) => page.name)).toEqual([]);
  });

  test('any two of them leave no link behind, nor do all', async () => {
    expect((await readPages(valuesWithout(NOT_CURRENT, false), '')).deadLinks).toEqual([]);
    const pairs = NOT_CURRENT.flatMap((one, i) => NOT_CURRENT.slice(i + 1).map((other) => [one, other]));
    // Not rendered, which takes a tenth of a second for each.
    for (const planned of pairs) {
      const values = valuesWithout(planned, false);
      const shown = chaptersOf(values.conditions).map(({ name }) => name);
      const linked = shown.flatMap((name) => chaptersLinkedIn(prepare(TEXTS.get(name) ?? '', values)));
      expect(linked.length).toBeGreaterThan(20);
      expect([planned, linked.filter((name) => !shown.includes(name))]).toEqual([planned, []]);
    }
  });

  test('has no page', async () => {
    const own = await openPublic({ guide: () => openGuide({ planned: ['mcp'], hasConsole: false }) });
    expect((await own.get('/docs/agents')).statusCode).toBe(404);
    expect(linksIn((await own.get('/docs')).body)).not.toContain('/console');
  });
});
