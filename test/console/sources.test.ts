import { beforeAll, expect, test } from 'vitest';
import { useConsole } from '../support/console/use-console.ts';
import type { Visitor } from '../support/console/visitor.ts';

const console = useConsole();
let owner: Visitor;
let path: string;

beforeAll(async () => {
  path = `/console/orgs/${await console.organization({ 'ada@example.com': 'owner' }, 'community')}/data/sources`;
  owner = await console.signIn('ada@example.com');
});

test('the page of sources says so where nobody is named', async () => {
  const { statusCode, body } = await owner.get(path);
  expect([statusCode, body.includes('The newest release names nobody.')]).toEqual([200, true]);
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
  await console.api.store.publish('2026-06-20', { benchmarks }, { settings: { upstreams } });
  await console.api.follower.refresh();
  const { body } = await owner.get(path);
  const text = body.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');
  expect(text).toMatch(
    /The mall Id in records mall Home page https:\/\/mall\.test Licence not known Terms not known Terms read not known Passing on not allowed Last fetch never The &lt;shop> Data from &#34;The shop&#34; Id in records shop/,
  );
  expect(text).toContain('Licence CC0-1.0 Terms https://shop.test/terms Terms read 2026-05-01 Passing on allowed');
  expect(body).toContain('<a href="https://shop.test/terms">');
  expect(body).toContain('https://stats.example.com/v1/sources&#34;');
  expect(body).toMatch(/aria-current="page"[^>]*>\s*Sources/);
});

test('the page of a model says whose word a price is, with a link to the source', async () => {
  const models = [{ id: 'm', name: 'M', source: 'shop' }];
  const pricing = ['p', 'q'].map((provider) => ({ model_id: 'm', provider, source: provider === 'p' ? 'shop' : null }));
  await console.api.store.publish('2026-11-24', { models, pricing });
  await console.api.follower.refresh();
  const { body } = await owner.get(path.replace('/sources', '/models/m'));
  expect(body.match(/<a href="[^"]*\/data\/sources#shop">shop<\/a>/g)).toHaveLength(1);
});
