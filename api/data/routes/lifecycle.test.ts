/** Dates of retirement; test/api/lifecycle-worlds.test.ts has every combination of filters. */
import { describe, expect, test } from 'vitest';
import { addDays } from '../../../runtime/day.ts';
import type { TestApi } from '../../../test/support/api/open-api.ts';
import { openOwnApi, useApi } from '../../../test/support/api/use-api.ts';

const [FIRST, NEXT, LATER] = ['2027-02-01', '2027-02-02', '2027-02-03'] as const;
const at = `${FIRST}T10:00:00Z`;
const MODELS = [
  {
    id: 'both',
    name: 'Both',
    organization: 'maker',
    deprecated_on: '2027-03-01',
    retires_on: '2027-03-01',
    replaced_by: 'next',
  },
  { id: 'called', name: 'Called', status: 'deprecated' },
  { id: 'over', name: 'Over', status: 'retired' },
  { id: 'past', name: 'Past', status: 'retired', retires_on: '2027-01-31' },
  { id: 'year', name: 'Year', retires_on: addDays(FIRST, 365) },
  { id: 'far', name: 'Far', retires_on: addDays(FIRST, 366) },
  { id: 'today', name: 'Today', retires_on: FIRST },
  { id: 'in,two', name: 'In two' },
  { id: 'active', name: 'Active', status: 'active', replaced_by: 'next' },
].map((row) => ({ ...row, updated_at: at }));

const options = {
  now: `${addDays(LATER, 5)}T12:00:00Z`,
  days: (store: TestApi['store']) => store.publish(FIRST, { models: MODELS }),
};
const api = useApi(options);

const shortOf = async (query: string, from = api) => {
  const { lifecycle } = await from.json(`/v1/lifecycle${query}`);
  return (lifecycle as readonly { model_id: string; event: string; date: string | null }[]).map(
    ({ model_id: id, event, date }) => `${id} ${event} ${date}`,
  );
};

test('an entry has what a reader needs of the record, and both events of one day come in order', async () => {
  const { lifecycle, total, next_cursor } = await api.json('/v1/lifecycle?model=both');
  const entry = {
    model_id: 'both',
    name: 'Both',
    organization: 'maker',
    event: 'deprecation',
    date: '2027-03-01',
    status: null,
    replaced_by: 'next',
    source: null,
    known_since: FIRST,
    updated_at: at,
  };
  expect({ lifecycle, total, next_cursor }).toEqual({
    lifecycle: [entry, { ...entry, event: 'retirement' }],
    total: 2,
    next_cursor: null,
  });
});

test('without parameters the list looks a year ahead from the day of the release; models without a date come last', async () => {
  expect(await shortOf('')).toEqual([
    `today retirement ${FIRST}`,
    'both deprecation 2027-03-01',
    'both retirement 2027-03-01',
    `year retirement ${addDays(FIRST, 365)}`,
    'called retirement null',
  ]);
  expect((await shortOf('?days=366')).includes(`far retirement ${addDays(FIRST, 366)}`)).toBe(true);
});

test('with from it begins there, and with models it has all of their dates, retired ones without a date too', async () => {
  expect(await shortOf('?from=2027-01-31&days=1')).toEqual([
    'past retirement 2027-01-31',
    `today retirement ${FIRST}`,
    'called retirement null',
    'over retirement null',
  ]);
  expect(await shortOf('?model=over,past,active')).toEqual(['past retirement 2027-01-31', 'over retirement null']);
  expect(await shortOf('?model=past&from=2027-02-01')).toEqual([]);
});

test('an id that was never captured is 404 and named, whatever the others are', async () => {
  for (const [query, id] of [
    ['?model=both,botth', 'botth'],
    ['?model=botth', 'botth'],
    ['?model=in,two', 'in'],
  ] as const) {
    const { statusCode, body } = await api.get(`/v1/lifecycle${query}`);
    expect([statusCode, JSON.parse(body).error]).toMatchObject([
      404,
      { code: 'not_found', param: 'model', message: `There is no model with the id ${id}` },
    ]);
  }
});

test.each([
  ['days=0', 'days', 'greater_than_equal'],
  ['days=3651', 'days', 'less_than_equal'],
  ['days=soon', 'days', 'int_parsing'],
  ['from=2027-02-30', 'from', 'date_from_datetime_parsing'],
  ['model=', 'model', 'value_error'],
  ['model=both,', 'model', 'value_error'],
  [`model=${'x'.repeat(201)}`, 'model', 'value_error'],
  [`model=${Array.from({ length: 51 }, (_, id) => id).join(',')}`, 'model', 'too_long'],
  ['event=sunset', 'event', 'enum'],
  ['organization=', 'organization', 'string_too_short'],
  ['limit=501', 'limit', 'less_than_equal'],
])('?%s is refused: %s, %s', async (query, param, type) => {
  const { statusCode, body } = await api.get(`/v1/lifecycle?${query}`);
  expect([statusCode, JSON.parse(body).detail]).toMatchObject([422, [{ loc: ['query', param], type }]]);
});

test('models in another order, or named twice, are the same request', async () => {
  const tagOf = async (model: string) => (await api.get(`/v1/lifecycle?model=${model}`)).headers['etag'];
  expect(await tagOf('past,both,past')).toBe(await tagOf('both,past'));
  expect(await tagOf('past')).not.toBe(await tagOf('both,past'));
});

describe('over releases', () => {
  test('the tag holds until the next release, and with from until a model changes', async () => {
    const own = await openOwnApi(options);
    const ask = async () => {
      const [ahead, from] = await Promise.all(
        ['', '?from=2027-01-01'].map(async (query) => (await own.get(`/v1/lifecycle${query}`)).headers['etag']),
      );
      return { ahead, from };
    };
    const first = await ask();
    own.clock.set(`${addDays(LATER, 30)}T12:00:00Z`);
    expect(await ask()).toEqual(first);
    await own.store.publish(NEXT, { models: MODELS });
    await own.follower.refresh();
    const next = await ask();
    expect([next.ahead === first.ahead, next.from === first.from]).toEqual([false, true]);
    expect((await shortOf('', own))[0]).toBe('both deprecation 2027-03-01');
    await own.store.publish(LATER, { models: MODELS.map((row) => ({ ...row, name: `${row.name}!` })) });
    await own.follower.refresh();
    expect((await ask()).from).not.toBe(first.from);
  });

  test('a date is known since the first day that said it, through changes of other fields and absences', async () => {
    const own = await openOwnApi(options);
    const knownOf = async (id: string) => {
      const { lifecycle } = await own.json(`/v1/lifecycle?model=${id}`);
      return (lifecycle as readonly { known_since: string }[]).map(({ known_since }) => known_since);
    };
    const publish = async (day: string, models: readonly object[]) => {
      await own.store.publish(day, { models });
      await own.follower.refresh();
    };
    await publish(
      NEXT,
      MODELS.filter(({ id }) => id !== 'year').map((row) => ({ ...row, name: `${row.name}!` })),
    );
    expect(await shortOf('?model=year', own), 'while it is gone').toEqual([]);
    await publish(
      LATER,
      MODELS.map((row) => (row.id === 'both' ? { ...row, retires_on: '2027-04-01' } : row)),
    );
    expect(await knownOf('both')).toEqual([FIRST, LATER]);
    expect(await knownOf('year')).toEqual([FIRST]);
    await publish(addDays(LATER, 1), MODELS);
    expect(await knownOf('both')).toEqual([FIRST, addDays(LATER, 1)]);
  });
});
