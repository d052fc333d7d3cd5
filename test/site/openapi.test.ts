/** The OpenAPI document has what is answered without a key, where that is live. */
import { expect, test } from 'vitest';
import { Documented } from '../support/api/documented.ts';
import { openPublic, usePublic } from '../support/site/use-public.ts';

const api = usePublic();
const ROUTES = ['/badges/models/{id}.svg', '/badges/models/{id}.json', '/badges/source.svg', '/badges/source.json'];

test('each badge is an operation without a key, with its parameters and the forms of its answers', async () => {
  const { operations } = new Documented(await api.json('/openapi.json'), { isClosed: false });
  const open = operations.filter(({ tags }) => tags.includes('without a key'));
  expect(open.map(({ path }) => path)).toEqual(expect.arrayContaining(ROUTES));
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

test('where embeds is not live it has none of them', async () => {
  const own = await openPublic({ planned: ['embeds'] });
  const text = JSON.stringify(await own.json('/openapi.json'));
  expect(text).not.toMatch(/badges|without a key/);
});
