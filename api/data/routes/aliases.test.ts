/** What upstreams call models: `alias`, `q`, and the names of one model (specification "Models"; decision 0077). */
import { describe, expect, test } from 'vitest';
import { getList, pageList } from '../../../test/support/api/lists.ts';
import { openOwnApi, useApi } from '../../../test/support/api/use-api.ts';
import { withNames } from '../../../test/support/pipeline/named-models.ts';
import { LISTED_DAY } from '../../../test/worlds/listed-day.ts';

const DAY = '2026-06-01';
const NAMES = withNames(
  'shop,The Best 100,c/1',
  'shop,Best of 100,c/1',
  'board,The Best 100,a',
  'board,b,B',
  'board,"q""uote, ÅNG\\é",d',
  'shop,lost,nowhere',
);

const api = useApi({ days: (store) => store.publish(DAY, LISTED_DAY, NAMES) });

async function ids(query: string): Promise<readonly unknown[]> {
  return (await getList(api, `/v1/models?${query}`)).records.map(({ id }) => id);
}

async function aliasesOf(model: string): Promise<unknown> {
  return (await api.json(`/v1/models/${encodeURIComponent(model)}`))['aliases'];
}

test.each([
  ['a name that one upstream has', 'alias=Best%20of%20100', ['c/1']],
  ['a name of other models at other upstreams', 'alias=The%20Best%20100', ['a', 'c/1']],
  ["a model's own id", 'alias=c%2F1', ['c/1']],
  ['an id that is also the name of another model', 'alias=b', ['B', 'b']],
  ['a name in another case', 'alias=the%20best%20100', []],
  ['a part of a name', 'alias=Best', []],
  ["a model's display name, which no upstream uses", 'alias=Zulu', []],
  ['a name with everything in it', `alias=${encodeURIComponent('q"uote, ÅNG\\é')}`, ['d']],
  ['a name of a model that is not there', 'alias=lost', []],
  ['a name and another filter', 'alias=The%20Best%20100&provider=p2', ['a']],
  ['a name and a text', 'alias=The%20Best%20100&q=best%20of', ['c/1']],
  ['a name, sorted', 'alias=The%20Best%20100&sort=-id', ['c/1', 'a']],
  ['a part of a name, in any case', 'q=BEST%20OF', ['c/1']],
  ['a part of two names of two models', 'q=the%20best', ['a', 'c/1']],
  ['letters beyond ASCII, in any case', `q=${encodeURIComponent('ång\\É')}`, ['d']],
  ['a text that a name of a model that is not there has', 'q=lost', []],
  ['a text across an id and a name', `q=${encodeURIComponent('a\u0001zulu')}`, []],
  ['the name of an upstream', 'q=board', []],
])('%s finds the models that are called so', async (_, query, expected) => {
  expect(await ids(query)).toEqual(expected);
  const { total } = await getList(api, `/v1/models?${query}&limit=1`);
  expect(total).toBe(expected.length);
  expect((await pageList(api, `/v1/models?${query}&limit=1`)).map(({ id }) => id)).toEqual(expected);
});

test('a cursor of q from before names were searched is as good as one of today', async () => {
  const before = 'Y2M0MmVkZGNbIkIiXQ'; // Behind B, of q=ZUL.
  expect((await getList(api, '/v1/models?q=ZUL&limit=1')).next_cursor).toBe(before);
  expect(await ids(`q=ZUL&cursor=${before}`)).toEqual(['a']);
});

test('a model tells what upstreams call it, by upstream and name, and records in lists do not', async () => {
  expect(await aliasesOf('c/1')).toEqual([
    { upstream: 'shop', id: 'Best of 100' },
    { upstream: 'shop', id: 'The Best 100' },
  ]);
  expect(await aliasesOf('d')).toEqual([{ upstream: 'board', id: 'q"uote, ÅNG\\é' }]);
  expect(await aliasesOf('b')).toEqual([]);
  const { body } = await api.get('/v1/models/b');
  expect(body.endsWith('],"aliases":[]}')).toBe(true);
  for (const record of (await getList(api, '/v1/models')).records) expect(record).not.toHaveProperty('aliases');
});

describe('with another night', () => {
  test('names are those of the newest release, whose models decide which are shown', async () => {
    const other = await openOwnApi({ days: (store) => store.publish(DAY, LISTED_DAY, NAMES) });
    const models = [...(LISTED_DAY.models ?? []).slice(1), { id: 'nowhere', name: 'Now here' }];
    await other.store.publish('2026-06-02', { models }, withNames('shop,lost,nowhere', 'board,b,B', 'shop,new,a'));
    await other.follower.refresh();
    const found = async (query: string) => (await getList(other, `/v1/models?${query}`)).records.map(({ id }) => id);
    expect(await found('alias=lost')).toEqual(['nowhere']);
    expect(await found('alias=b')).toEqual(['b']);
    expect(await found('alias=new')).toEqual(['a']);
    expect(await found('q=best%20of')).toEqual([]);
    await other.store.publish('2026-06-03', { models });
    await other.follower.refresh();
    expect(await found('alias=new')).toEqual([]);
    expect(await found('alias=a')).toEqual(['a']);
    expect((await other.json('/v1/models/a'))['aliases']).toEqual([]);
  });

  test('a new name changes the tags of what shows or looks for names, and no others', async () => {
    const other = await openOwnApi({ days: (store) => store.publish(DAY, LISTED_DAY, NAMES) });
    const paths = ['/v1/models/b', '/v1/models?q=x', '/v1/models?alias=x', '/v1/models', '/v1/scores', '/v1/updates'];
    const tags = async () => Promise.all(paths.map(async (path) => (await other.get(path)).headers['etag']));
    const before = await tags();
    await other.store.publish('2026-06-02', LISTED_DAY, NAMES);
    await other.follower.refresh();
    expect(await tags()).toEqual(before);
    await other.store.publish('2026-06-03', LISTED_DAY, withNames('shop,x,b'));
    await other.follower.refresh();
    const after = await tags();
    expect(paths.filter((_, i) => after[i] !== before[i])).toEqual(paths.slice(0, 3));
    expect((await getList(other, '/v1/models?alias=x')).records).toHaveLength(1);
  });
});
