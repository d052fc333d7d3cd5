/** What holds on every page of the console, whatever it shows, and what those of data show (specification "Console"). */
import { beforeAll, describe, expect, test } from 'vitest';
import { SYSTEM } from '../../api/accounts/actor.ts';
import { createKey } from '../../api/accounts/organizations/keys.ts';
import { changePlan, getOrganization } from '../../api/accounts/organizations/organizations.ts';
import { DATASET_NAMES } from '../../schemas/datasets.ts';
import { useConsole } from '../support/console/use-console.ts';
import type { Visitor } from '../support/console/visitor.ts';
import { withNames } from '../support/pipeline/named-models.ts';
import { MODEL, SAMPLE_DAYS } from '../support/pipeline/sample-store.ts';

const PAGE_BYTES_MAX = 100_000;

/** Text that would do something if any page took it for HTML. */
const HOSTILE = `"><img src=x onerror=alert(1)><script>alert(2)</script>'`;

const console = useConsole();
let owner: Visitor;
let org: string;
/** What the paths of pages that need an id are filled in with. */
let ids: Readonly<Record<string, string>>;

beforeAll(async () => {
  owner = await console.signIn('ada@example.com');
  await owner.post('/console/welcome', { name: HOSTILE.slice(0, 100) }, { from: '/console/welcome' });
  org =
    String((await owner.get('/console')).headers.location)
      .split('/')
      .at(-1) ?? '';
  const changes = console.accounts.as(SYSTEM);
  await changePlan(org, (before) => ({ ...before, plan: 'commercial' }), changes);
  await owner.post(`/console/orgs/${org}/keys`, { name: HOSTILE }, { from: `/console/orgs/${org}/keys` });
  const added = await console.addEndpoint(org, {
    url: `https://example.com/hooks?${encodeURIComponent(HOSTILE)}`,
    description: HOSTILE,
    filters: { models: [HOSTILE] },
  });
  const integrations = `/console/orgs/${org}/integrations`;
  const page = `https://example.org/?${encodeURIComponent(HOSTILE)}`;
  const found = { kind: 'link', href: `https://stats.example.com/?${HOSTILE}`, text: HOSTILE } as const;
  console.looks.set(page, { reason: 'FOUND', message: HOSTILE, status: 200, finalUrl: page, found, durationMs: 5 });
  const declared = await owner.post(integrations, { name: HOSTILE, public_url: page }, { from: integrations });
  const [, integration = ''] = /integrations\/(\w+)/.exec(String(declared.headers.location)) ?? [];
  await owner.post(`${integrations}/${integration}/check`, {}, { from: integrations });
  const invite = `/console/orgs/${org}/members/invite`;
  await owner.post(invite, { email: 'new@example.com', role: 'member' }, { from: `/console/orgs/${org}/members` });
  const [endpoint, delivery] = [added.endpoint.id, added.pingId];
  ids = { endpoint, delivery, integration, model: MODEL, snapshot: SAMPLE_DAYS[2] };
});

/** Every page, and addresses of some that nobody would write who means well. */
function pagePaths(): readonly string[] {
  const endpointId = ids['endpoint'];
  const own = console.routes
    .filter(({ method, path }) => method === 'GET' && !path.endsWith('.csv') && !path.endsWith('/download'))
    .map(({ kind, path }) => {
      const filled = path.replaceAll(/:(\w+)/g, (_, name: string) => ids[name] ?? `no-${name}`);
      return `/console${kind === 'organization' ? `/orgs/${org}` : ''}${filled}`;
    });
  const hostile = encodeURIComponent(HOSTILE);
  const data = `/console/orgs/${org}/data`;
  return [
    ...own,
    `${data}/models?q=${hostile}&organization=${hostile}&sort=${hostile}`,
    `${data}/models/${hostile}`,
    `${data}/models/${MODEL}?provider=${hostile}&days=${hostile}`,
    `${data}/prices?model=${hostile}&meter=${hostile}&cursor=${hostile}`,
    `${data}/cost?model=${hostile}&provider=${hostile}&tier=${hostile}`,
    `${data}/cost?model=${MODEL}&input=1`,
    `${data}/rankings?category=${hostile}`,
    `${data}/changes?entity_type=${hostile}&through=${hostile}`,
    `/console/orgs/${org}/webhooks/${endpointId}?topic=${hostile}&state=${hostile}&replayed=${hostile}&done=${hostile}`,
    ...['constructor', '__proto__'].flatMap((name) =>
      ['members', 'keys', 'settings', `webhooks/${endpointId}`].map((to) => `/console/orgs/${org}/${to}?done=${name}`),
    ),
    `/console/sign-in?next=${hostile}`,
    `/console/sign-in/link?token=${hostile}`,
    `/console/invitations/accept?token=${hostile}`,
    `/console/${hostile}`,
  ];
}

test('every page is HTML below 100 KB that no cache keeps, with a policy that lets nothing but our own files run', async () => {
  expect(pagePaths().length).toBeGreaterThan(25);
  for (const path of pagePaths()) {
    const { statusCode, headers, rawPayload } = await owner.get(path);
    expect([path, [200, 303, 400, 404, 410].includes(statusCode)]).toEqual([path, true]);
    expect(headers['cache-control']).toBe('no-store');
    expect(headers['content-security-policy']).toMatch(
      /default-src 'none'; script-src 'self'; style-src 'self'; .*img-src 'self'/,
    );
    expect(headers['content-security-policy']).not.toContain('unsafe');
    expect(headers).toMatchObject({ 'x-frame-options': 'DENY', 'referrer-policy': 'same-origin' });
    if (statusCode === 303) continue;
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect([path, rawPayload.length < PAGE_BYTES_MAX]).toEqual([path, true]);
    expect(rawPayload.toString()).toContain('rel="icon" type="image/svg+xml" href="/favicon.ico"');
  }
});

test('no page is asked for a NUL, on which databases fail', async () => {
  const pages = `/console/orgs/${org}`;
  for (const path of ['webhooks/%00', `webhooks/${ids['endpoint']}?before=%00`, 'data/models?q=a%00b', 'keys?done=%00'])
    expect([path, (await owner.get(`${pages}/${path}`)).statusCode]).toEqual([path, 404]);
});

test('no page takes what people or data say for HTML', async () => {
  let shown = 0;
  for (const path of pagePaths()) {
    const { body } = await owner.get(path);
    // Within the quotes of an attribute nothing but a quote would end it.
    const outside = body.replaceAll(/="[^"]*"/g, '=""');
    expect([path, /<img(?! src="" alt=""\s?\/?>)|<script>|=""[^\s/>]/i.test(outside)]).toEqual([path, false]);
    if (body.includes('onerror=alert(1)')) shown += 1; // As text.
    expect(outside).not.toMatch(/<[a-z][^<>]* (?:style|on\w+)=/);
  }
  expect(shown).toBeGreaterThan(10);
});

describe('the data of a page', () => {
  test('cost no unit', async () => {
    const { accounts } = console;
    const { terms } = await getOrganization(org, accounts.as(SYSTEM));
    const caller = { organizationId: org, credentialId: '', terms, clientSource: 'api_key' } as const;
    for (const path of pagePaths().filter((url) => url.includes('/data/'))) await owner.get(path);
    expect((await accounts.quota.usage(caller)).used).toBe(0);
  });

  test.each(['sort=-release_date', 'q=2', 'q=2&sort='])(
    'are those of the request that the page names: %s',
    async (query) => {
      const { body } = await owner.get(`/console/orgs/${org}/data/models?${query}`);
      const [, url = ''] = /curl [^\n]*?&quot;(https:[^&]*(?:&amp;[^&]*)*)&quot;/.exec(body) ?? [];
      const { key } = await createKey({ organizationId: org, name: 'compare' }, console.accounts.as(SYSTEM));
      const path = url.replaceAll('&amp;', '&').replace('https://stats.example.com', '');
      expect(path.includes('sort=relevance')).toBe(query.startsWith('q'));
      const response = await console.api.app.inject({ url: path, headers: { authorization: `Bearer ${key}` } });
      const { models } = response.json() as { readonly models: readonly { readonly id: string }[] };
      expect(models.length).toBeGreaterThan(2);
      const places = models.map(({ id }) => body.indexOf(`/data/models/${encodeURIComponent(id)}"`));
      expect(places).toEqual(places.toSorted((a, b) => a - b));
      expect(places[0]).toBeGreaterThan(0);
    },
  );

  test('end where the plan does, and the page says so', async () => {
    const community = await console.organization({ 'ada@example.com': 'owner' }, 'community');
    const pages = `/console/orgs/${community}/data`;
    for (const path of ['changes', 'snapshots']) {
      const { statusCode, body } = await owner.get(`${pages}/${path}`);
      expect([statusCode, body.includes('The Community plan does not include')]).toEqual([200, true]);
    }
    expect((await owner.get(`${pages}/snapshots/${SAMPLE_DAYS[2]}/download?dataset=models`)).statusCode).toBe(422);
    expect((await owner.get(`/console/orgs/${community}/webhooks`)).body).toContain('plan has no webhooks');
  });
});

test('a snapshot is downloaded from where the API would send to', async () => {
  const url = `/console/orgs/${org}/data/snapshots/${SAMPLE_DAYS[2]}/download?dataset=models`;
  const { statusCode, headers } = await owner.get(url);
  expect([statusCode, String(headers.location)]).toEqual([303, expect.stringContaining('/files/')]);
  const { pathname, search } = new URL(String(headers.location));
  expect((await console.api.app.inject(pathname + search)).statusCode).toBe(200);
});

test('the page of snapshots links the JSON Schema of each dataset', async () => {
  const { body } = await owner.get(`/console/orgs/${org}/data/snapshots`);
  const links = [...body.matchAll(/href="([^"]+\/schemas\/[^"]+)"/g)].map(([, link = '']) => new URL(link).pathname);
  expect(links).toEqual(DATASET_NAMES.map((name) => `/schemas/${name}.json`));
  for (const link of links) expect((await console.api.app.inject(link)).statusCode).toBe(302);
});

test('the files of pages are kept for a year under a name that changes with them', async () => {
  const { body } = await owner.get(`/console/orgs/${org}`);
  const files = [...body.matchAll(/(?:href|src)="(\/console\/assets\/[^"]+)"/g)].map(([, url = '']) => url);
  expect(files).toHaveLength(4);
  for (const url of files) {
    const { statusCode, headers } = await console.api.app.inject(url);
    expect([url, statusCode, headers['cache-control']]).toEqual([url, 200, 'public, max-age=31536000, immutable']);
    expect(url).toMatch(/\?v=[0-9a-f]{12}$/);
  }
});

test('the limit of the usage is known from the first day of the organization on, not before', async () => {
  const limited = await console.organization({ 'ada@example.com': 'owner' }, 'builder');
  const { body } = await owner.get(`/console/orgs/${limited}/usage?days=7`);
  const rowOf = (day: string) => new RegExp(`${day}[^<]*</th>((?:\\s*<td[^>]*>[^<]*</td>)+)`).exec(body)?.[1];
  const cells = (day: string) => [...(rowOf(day) ?? '').matchAll(/<td[^>]*>([^<]*)</g)].map(([, text]) => text?.trim());
  expect(cells('3 Jun 2026, not over yet')).toEqual(['0', '5,000', '0']);
  expect(cells('2 Jun 2026')).toEqual(['0', '–', '0']);
});

describe('the pages of data', () => {
  const data = () => `/console/orgs/${org}/data`;

  /** Publishes a day, which the console then shows. */
  async function publish(...day: Parameters<typeof console.api.store.publish>): Promise<void> {
    await console.api.store.publish(...day);
    await console.api.follower.refresh();
  }

  test('the page of sources says so where nobody is named', async () => {
    const { statusCode, body } = await owner.get(`${data()}/sources`);
    expect([statusCode, body.includes('The newest release names no sources.')]).toEqual([200, true]);
  });

  test('a model is found by what upstreams call it, and its page tells each name once, as text, and not its own id', async () => {
    const names = withNames(`shop,acme/<b>Turbo,${MODEL}`, `board,acme/<b>Turbo,${MODEL}`, `board,${MODEL},${MODEL}`);
    await publish('2026-06-04', { models: [{ id: MODEL, name: 'Aurora 2' }] }, names);
    expect((await owner.get(`${data()}/models?q=turbo`)).body).toContain(`/data/models/${MODEL}"`);
    expect((await owner.get(`${data()}/models?q=turbos`)).body).not.toContain(`/data/models/${MODEL}"`);
    const { body } = await owner.get(`${data()}/models/${MODEL}`);
    const [, shown = ''] = /Also called<\/dt>\s*<dd>(.*?)<\/dd>/s.exec(body) ?? [];
    expect(shown.replaceAll(/<[^>]*>/g, '')).toMatch(/^acme\/&lt;b(?:>|&gt;)Turbo$/);
  });

  test('the page of sources shows licence, terms, attribution line and last fetch, and the request that gives the same', async () => {
    const upstreams = [
      {
        id: 'shop',
        name: 'The <shop>',
        url: 'https://shop.test',
        license: 'CC0-1.0',
        redistribution: true,
        terms_url: 'https://shop.test/terms',
        attribution: 'Data from "The shop"',
        checked: '2026-05-01',
      },
      { id: 'mall', name: 'The mall', url: 'https://mall.test' },
    ];
    const benchmarks = [{ id: 'reason-bench', name: 'Reason Bench' }];
    await publish('2026-06-20', { benchmarks }, { settings: { upstreams } });
    const { body } = await owner.get(`${data()}/sources`);
    const text = body.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');
    expect(text).toMatch(
      /The mall Id in records mall Home page https:\/\/mall\.test Licence not known Terms not known Terms checked not known Redistribution not allowed Last fetch never The &lt;shop> Data from &quot;The shop&quot; Id in records shop/,
    );
    expect(text).toContain(
      'Licence CC0-1.0 Terms https://shop.test/terms Terms checked 2026-05-01 Redistribution allowed',
    );
    expect(body).toContain('<a href="https://shop.test/terms">');
    expect(body).toContain('https://stats.example.com/v1/sources&quot;');
    expect(body).toMatch(/aria-current="page"[^>]*>\s*Sources/);
  });

  test('the page of a model says whose word a price is, with a link to the source', async () => {
    const models = [{ id: 'm', name: 'M', source: 'shop' }];
    const pricing = ['p', 'q'].map((provider) => ({
      model_id: 'm',
      provider,
      source: provider === 'p' ? 'shop' : null,
    }));
    await publish('2026-11-24', { models, pricing });
    const { body } = await owner.get(`${data()}/models/m`);
    expect(body.match(/<a href="[^"]*\/data\/sources#shop">shop<\/a>/g)).toHaveLength(1);
  });
});
