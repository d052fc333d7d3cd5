/** What the pages of data show of sources, and of the names that upstreams have for models. */
import { beforeAll, expect, test } from 'vitest';
import { useConsole } from '../support/console/use-console.ts';
import type { Visitor } from '../support/console/visitor.ts';
import { withNames } from '../support/pipeline/named-models.ts';
import { MODEL } from '../support/pipeline/sample-store.ts';

const console = useConsole();
let ada: Visitor;
let data: string;

beforeAll(async () => {
  const own = await console.own();
  ({ ada } = own);
  data = `/console/orgs/${own.org}/data`;
});

/** Publishes a day, which the console then shows. */
async function publish(...day: Parameters<typeof console.api.store.publish>): Promise<void> {
  await console.api.store.publish(...day);
  await console.api.follower.refresh();
}

test('the page of sources says so where nobody is named', async () => {
  const { statusCode, body } = await ada.get(`${data}/sources`);
  expect([statusCode, body.includes('The newest release names nobody.')]).toEqual([200, true]);
});

test('a model is found by what upstreams call it, and its page tells each name once, as text, and not its own id', async () => {
  const names = withNames(`shop,acme/<b>Turbo,${MODEL}`, `board,acme/<b>Turbo,${MODEL}`, `board,${MODEL},${MODEL}`);
  await publish('2026-06-04', { models: [{ id: MODEL, name: 'Aurora 2' }] }, names);
  expect((await ada.get(`${data}/models?q=turbo`)).body).toContain(`/data/models/${MODEL}"`);
  expect((await ada.get(`${data}/models?q=turbos`)).body).not.toContain(`/data/models/${MODEL}"`);
  const { body } = await ada.get(`${data}/models/${MODEL}`);
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
  const { body } = await ada.get(`${data}/sources`);
  const text = body.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');
  expect(text).toMatch(
    /The mall Id in records mall Home page https:\/\/mall\.test Licence not known Terms not known Terms read not known Passing on not allowed Last fetch never The &lt;shop> Data from &quot;The shop&quot; Id in records shop/,
  );
  expect(text).toContain('Licence CC0-1.0 Terms https://shop.test/terms Terms read 2026-05-01 Passing on allowed');
  expect(body).toContain('<a href="https://shop.test/terms">');
  expect(body).toContain('https://stats.example.com/v1/sources&quot;');
  expect(body).toMatch(/aria-current="page"[^>]*>\s*Sources/);
});

test('the page of a model says whose word a price is, with a link to the source', async () => {
  const models = [{ id: 'm', name: 'M', source: 'shop' }];
  const pricing = ['p', 'q'].map((provider) => ({ model_id: 'm', provider, source: provider === 'p' ? 'shop' : null }));
  await publish('2026-11-24', { models, pricing });
  const { body } = await ada.get(`${data}/models/m`);
  expect(body.match(/<a href="[^"]*\/data\/sources#shop">shop<\/a>/g)).toHaveLength(1);
});
