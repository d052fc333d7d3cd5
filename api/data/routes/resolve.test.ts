/** `GET /v1/resolve` (specification "Names as people write them"); schemas/model-name.test.ts has the steps of names. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { openOwnApi, useApi } from '../../../test/support/api/use-api.ts';
import { withNames } from '../../../test/support/pipeline/named-models.ts';

const DAY = '2026-06-01';
const model = (id: string, name = id, more: object = {}) => ({ id, name, ...more });
const ranked = (model_id: string, rank: number) => ({ model_id, category: 'text', rank });

const MODELS = [
  model('gpt-4o', 'GPT-4o', { organization: 'openai', inference: ['openai', 'azure', 'p3'] }),
  model('gpt-4o-2024-05-13', 'GPT-4o (2024-05-13)', { organization: 'openai' }),
  model('gpt-4o-2024-08-06', 'GPT-4o (2024-08-06)', { organization: 'openai' }),
  model('gpt-4o-mini', 'GPT-4o mini', { organization: 'openai' }),
  model('claude-sonnet-4-5', 'Claude Sonnet 4.5 (latest)', { organization: 'anthropic' }),
  model('glm-4.6', 'GLM-4.6', { organization: 'zai', inference: ['p1', 'p2'] }),
  model('GLM-4.6', 'GLM-4.6', { organization: 'zai', inference: ['p1', 'p2', 'p3'] }),
  model('deepseek-chat', 'DeepSeek Chat', { organization: 'deepseek' }),
  model('quill:free', 'Quill (free)', { organization: 'edge' }),
  model('twin-a', 'Twin', { inference: ['p1'] }),
  model('twin-b', 'Twin', { inference: ['p1'] }),
  model('twin-c', 'Twin', { inference: ['p1', 'p2'] }),
  model('Foo9', 'Foo 9'),
  model('§', '§§'),
];
const WORLD = { models: MODELS, rankings: [ranked('twin-b', 3), ranked('twin-a', 7)] };
const NAMES = withNames(
  'shop,acme/Turbo 9,deepseek-chat',
  'board,gpt-4o,GLM-4.6',
  'shop,both,glm-4.6',
  'board,both,GLM-4.6',
);

const api = useApi({ days: (store) => store.publish(DAY, WORLD, NAMES) });

interface Matched {
  readonly model_id: string;
  readonly match: string;
  readonly confidence: string;
  readonly why: string;
}

async function matchesOf(name: string, more = ''): Promise<readonly Matched[]> {
  const body = await api.json(`/v1/resolve?name=${encodeURIComponent(name)}${more}`);
  expect(body['name']).toBe(name);
  return body['matches'] as readonly Matched[]; // Of the route's schema.
}

test.each([
  ['gpt-4o', 'gpt-4o', 'id', 'exact'],
  [' gpt-4o ', 'gpt-4o', 'id', 'exact'],
  ['§', '§', 'id', 'exact'],
  ['acme/Turbo 9', 'deepseek-chat', 'alias', 'exact'],
  ['GPT-4o mini', 'gpt-4o-mini', 'name', 'sure'],
  ['§§', '§', 'name', 'sure'],
  ['gpt 4O', 'gpt-4o', 'spelling', 'sure'],
  ['ACME/turbo-9', 'deepseek-chat', 'spelling', 'sure'],
  ['openai/gpt-4o', 'gpt-4o', 'path', 'sure'],
  ['azure/eu/gpt-4o', 'gpt-4o', 'path', 'sure'],
  ['z-ai/glm-4.6', 'glm-4.6', 'path', 'sure'],
  ['Anthropic: Claude Sonnet 4.5 (latest)', 'claude-sonnet-4-5', 'prefix', 'sure'],
  ['anthropic/claude-sonnet-4.5:beta', 'claude-sonnet-4-5', 'suffix', 'sure'],
  ['stranger/gpt-4o', 'gpt-4o', 'path', 'likely'],
  ['quill', 'quill:free', 'suffix', 'likely'],
  ['claude-sonnet-4-5-20250929', 'claude-sonnet-4-5', 'date', 'likely'],
  ['GPT-4o (Aug 2024)', 'gpt-4o-2024-08-06', 'date', 'likely'],
  ['GPT-4o (Nov 2024)', 'gpt-4o', 'date', 'likely'],
  ['mini 4 gpt', 'gpt-4o-mini', 'search', 'possible'],
])('%s is %s by its %s, which is %s', async (name, id, match, confidence) => {
  const [best] = await matchesOf(name);
  expect(best).toMatchObject({ model_id: id, match, confidence });
});

test.each(['nobody', 'gpt-5', '???', '\u{1F600}'])('%s is nobody: an empty list', async (name) => {
  const response = await api.get(`/v1/resolve?name=${encodeURIComponent(name)}`);
  expect([response.statusCode, response.body]).toEqual([200, JSON.stringify({ name, matches: [] })]);
});

test('a match says why, and that its seller is not known', async () => {
  const [best] = await matchesOf('stranger/gpt-4o');
  expect(best?.why).toBe('its id without what stands before a slash; stranger is not known to sell or make it');
});

describe('among several matches', () => {
  test('equals are equally likely, never sure: by sellers, best rank and id', async () => {
    const twins = await matchesOf('Twin');
    expect(twins.map(({ model_id: id, confidence }) => [id, confidence])).toEqual([
      ['twin-c', 'likely'],
      ['twin-b', 'likely'],
      ['twin-a', 'likely'],
    ]);
    expect(twins[0]?.why).toBe('its name as written; 2 others match as well');
    expect((await matchesOf('glm 4.6')).map(({ model_id: id }) => id)).toEqual(['GLM-4.6', 'glm-4.6']);
  });

  test('an alias that two upstreams have for two models is no exact match', async () => {
    expect((await matchesOf('both')).map(({ match, confidence }) => [match, confidence])).toEqual([
      ['alias', 'likely'],
      ['alias', 'likely'],
    ]);
  });

  test('only the id itself is better than an alias, and what comes behind the best is possible', async () => {
    expect((await matchesOf('gpt-4o')).map(({ model_id: id, match, confidence }) => [id, match, confidence])).toEqual([
      ['gpt-4o', 'id', 'exact'],
      ['GLM-4.6', 'alias', 'possible'],
      ['gpt-4o-2024-05-13', 'date', 'possible'],
      ['gpt-4o-2024-08-06', 'date', 'possible'],
    ]);
  });

  test('those of another date are left out', async () => {
    const ids = (await matchesOf('openai/gpt-4o-2024-08-06')).map(({ model_id: id }) => id);
    expect(ids).toEqual(['gpt-4o-2024-08-06', 'gpt-4o', 'GLM-4.6']);
  });

  test('the limit keeps the best', async () => {
    const all = await matchesOf('gpt-4o');
    expect(await matchesOf('gpt-4o', '&limit=2')).toEqual(all.slice(0, 2));
  });
});

test.each([
  ['', [['name', 'missing']]],
  ['?name=', [['name', 'string_too_short']]],
  [`?name=${'x'.repeat(201)}`, [['name', 'string_too_long']]],
  ['?name=a&limit=21', [['limit', 'less_than_equal']]],
  ['?name=a&limit=0', [['limit', 'greater_than_equal']]],
])('/v1/resolve%s is refused', async (query, problems) => {
  const response = await api.get(`/v1/resolve${query}`);
  expect(response.statusCode).toBe(422);
  const { detail } = response.json() as { readonly detail: readonly { loc: readonly string[]; type: string }[] };
  expect(detail.map(({ loc, type }) => [loc[1], type])).toEqual(problems);
});

test('any text is answered, and the same again', async () => {
  const part = fc.constantFrom(
    ...MODELS.flatMap(({ id, name }) => [id, name]),
    ...'/: @-+|p',
    'azure',
    'ß',
    'İ',
    '\u0000',
    '\u{1F600}',
  );
  const names = fc.oneof(
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 50 }),
    fc.array(part, { minLength: 1, maxLength: 8 }).map((parts) => parts.join('')),
  );
  await fc.assert(
    fc.asyncProperty(names, async (name) => {
      const path = `/v1/resolve?name=${encodeURIComponent(name)}`;
      const [one, other] = [await api.get(path), await api.get(path)];
      expect([one.statusCode, one.body]).toEqual([200, other.body]);
      const { matches } = one.json() as { readonly matches: readonly Matched[] };
      expect(matches.filter(({ confidence }) => confidence === 'exact' || confidence === 'sure').length).toBeLessThan(
        2,
      );
      expect(new Set(matches.map(({ model_id: id }) => id)).size).toBe(matches.length);
    }),
    { numRuns: 200 },
  );
});

test('the name of a model that an upstream has alone is its id without the upstream', async () => {
  const source = 'litellm';
  const models = [
    { ...model('litellm:bedrock/eu-central-1/minimax.m2', 'minimax.m2'), source },
    { ...model('shop:x-9', 'X'), source },
    { ...model('phi-4'), source: 'models-dev' },
    { ...model('litellm:phi-4'), source },
  ];
  const own = await openOwnApi({
    days: (store) => store.publish('2026-11-24', { models }),
    now: '2026-11-25T12:00:00Z',
  });
  const bestOf = async (name: string) => {
    const { matches } = (await own.get(`/v1/resolve?name=${encodeURIComponent(name)}`)).json();
    return matches.map(({ model_id: id, confidence }: Matched) => [id, confidence]);
  };
  expect(await bestOf('bedrock/eu-central-1/minimax.m2')).toEqual([[models[0]?.id, 'sure']]);
  expect(await bestOf('phi-4')).toEqual([
    ['phi-4', 'exact'],
    ['litellm:phi-4', 'possible'],
  ]);
  expect(await bestOf('x-9')).not.toContainEqual(['shop:x-9', 'sure']);
});

test('a night that adds a model, an alias or a rank changes what a name means, and its tag', async () => {
  const own = await openOwnApi({ days: (store) => store.publish(DAY, WORLD, NAMES) });
  const ask = async () => {
    const response = await own.get('/v1/resolve?name=Twin&limit=1');
    const { matches } = response.json() as { readonly matches: readonly Matched[] };
    return { id: matches[0]?.model_id, tag: response.headers['etag'] };
  };
  const first = await ask();
  expect(first.id).toBe('twin-c');
  const better = { ...WORLD, models: MODELS.filter(({ id }) => id !== 'twin-c') };
  await own.store.publish('2026-06-02', better, NAMES);
  await own.follower.refresh();
  const second = await ask();
  expect(second.id).toBe('twin-b');
  await own.store.publish('2026-06-03', { ...better, rankings: [ranked('twin-b', 9), ranked('twin-a', 7)] }, NAMES);
  await own.follower.refresh();
  const third = await ask();
  expect(third.id).toBe('twin-a');
  expect(new Set([first.tag, second.tag, third.tag]).size).toBe(3);
});
