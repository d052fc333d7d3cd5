/** `sort=relevance` (specification "Models"); test/api/lists.test.ts holds it to an independent reading, page by page. */
import { expect, test } from 'vitest';
import { getList, pageList } from '../../../test/support/api/lists.ts';
import { openOwnApi, useApi } from '../../../test/support/api/use-api.ts';
import { withNames } from '../../../test/support/pipeline/named-models.ts';

const DAY = '2026-06-01';
const served = (count: number) => Array.from({ length: count }, (_, at) => `p${at}`);
const model = (id: string, inference: readonly string[] = [], name = id) => ({ id, name, inference });
const ranked = (model_id: string, rank: number, category = 'text') => ({ model_id, category, rank });

const WORLD = {
  models: [
    model('a-gemma-by-claude', served(9)),
    model('anticlaude', served(9)),
    model('claude', served(1)),
    model('claude-many', served(3)),
    model('claude-ranked', served(2)),
    model('claude-better', served(2)),
    model('claude-b', served(2)),
    model('claude-a', served(2)),
    model('other', served(1), 'Claude'),
    model('called'),
  ],
  rankings: [
    ranked('claude-ranked', 4),
    ranked('claude-better', 7),
    ranked('claude-better', 2, 'code'),
    ranked('claude-a', 3),
  ],
};
const NAMES = withNames('shop,CLAUDE,called');
const ORDER = [
  ...['claude', 'other', 'called'],
  ...['claude-many', 'claude-better', 'claude-a', 'claude-ranked', 'claude-b'],
  ...['a-gemma-by-claude', 'anticlaude'],
];

const api = useApi({ days: (store) => store.publish(DAY, WORLD, NAMES) });
const PATH = '/v1/models?q=Claude&sort=relevance';

test('what is typed comes first, then its beginning, a word, a part; of equals the more sold, better ranked, smaller id', async () => {
  expect((await getList(api, PATH)).records.map(({ id }) => id)).toEqual(ORDER);
});

test.each([1, 2, 3, 7])('pages of %i have the same order and total', async (limit) => {
  expect((await pageList(api, `${PATH}&limit=${limit}`)).map(({ id }) => id)).toEqual(ORDER);
  expect((await getList(api, `${PATH}&limit=${limit}`)).total).toBe(ORDER.length);
});

test('without q it is refused, and the problem says what to do', async () => {
  const response = await api.get('/v1/models?sort=relevance');
  expect(response.statusCode).toBe(422);
  expect(response.json()).toEqual({
    detail: [
      {
        loc: ['query', 'sort'],
        msg: 'relevance orders what q finds: give q, or another sort',
        type: 'value_error',
        input: 'relevance',
        ctx: {},
      },
    ],
  });
});

test('an empty q is the one problem', async () => {
  const { detail } = (await api.get('/v1/models?q=&sort=relevance')).json() as { detail: readonly { loc: unknown }[] };
  expect(detail.map(({ loc }) => loc)).toEqual([['query', 'q']]);
});

test('a text with the separator of texts finds nothing', async () => {
  expect(await getList(api, '/v1/models?q=%01&sort=relevance')).toMatchObject({ records: [], total: 0 });
});

test('a night that changes ranks alone changes the order and its tag', async () => {
  const own = await openOwnApi({ days: (store) => store.publish(DAY, WORLD, NAMES) });
  const ask = async () => {
    const response = await own.get(`${PATH}&provider=p1`);
    const { models } = response.json() as { readonly models: readonly { readonly id: string }[] };
    return { ids: models.map(({ id }) => id), tag: response.headers['etag'] };
  };
  const before = await ask();
  expect(before.ids.indexOf('claude-b')).toBeGreaterThan(before.ids.indexOf('claude-ranked'));
  await own.store.publish('2026-06-02', { ...WORLD, rankings: [...WORLD.rankings, ranked('claude-b', 1)] }, NAMES);
  await own.follower.refresh();
  const after = await ask();
  expect(after.ids.indexOf('claude-b')).toBeLessThan(after.ids.indexOf('claude-better'));
  expect(after.tag).not.toBe(before.tag);
});
