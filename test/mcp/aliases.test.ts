/** What upstreams call models, over MCP. */
import { expect, test } from 'vitest';
import { useMcp } from '../support/mcp/use-mcp.ts';
import { withNames } from '../support/pipeline/named-models.ts';
import { LISTED_DAY } from '../worlds/listed-day.ts';

const NAMES = withNames('shop,acme/Turbo 9,d', 'board,b,B', 'board,Zulu,b', 'shop,épée,é');
const mcp = useMcp((store) => store.publish('2026-06-01', LISTED_DAY, NAMES));

interface Candidate {
  readonly why: string;
  readonly model: { readonly id: string };
}

test('a name that an upstream has exactly so is surer than all but the id itself', async () => {
  const { client, used } = await mcp.connect();
  const candidatesFor = async (name: string) => {
    const { data } = await client.call('resolve-model', { name });
    return (data['candidates'] as readonly Candidate[]).map(({ why, model }) => [model.id, why]);
  };
  expect(await candidatesFor('acme/Turbo 9')).toEqual([['d', 'an upstream calls it exactly so']]);
  expect((await candidatesFor(' b ')).slice(0, 2)).toEqual([
    ['b', 'the id as written'],
    ['B', 'an upstream calls it exactly so'],
  ]);
  expect(await candidatesFor('Zulu')).toEqual([
    ['b', 'an upstream calls it exactly so'],
    ['B', 'the name, in another case or punctuation'],
    ['a', 'the name, in another case or punctuation'],
  ]);
  expect(await candidatesFor('acme/turbo 9')).toEqual([]);
  expect(await used(), 'each call costs one unit').toBe(4);
});

test('models are listed by an exact name, and a model tells its names', async () => {
  const { client } = await mcp.connect();
  const { data } = await client.call('list-models', { alias: 'acme/Turbo 9' });
  expect(data).toMatchObject({ models: [{ id: 'd' }], total: 1 });
  const model = await client.call('get-model', { id: 'd' });
  expect(model.data['aliases']).toEqual([{ upstream: 'shop', id: 'acme/Turbo 9' }]);
  expect(model.text).toContain('acme/Turbo 9 at shop');
});
