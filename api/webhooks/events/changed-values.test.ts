/** What the events of prices and models say of the values that changed, in the version of the records that has rates. */
import { afterEach, expect, test } from 'vitest';
import { addDays } from '../../../runtime/day.ts';
import { openTemporaryStore, type TemporaryStore } from '../../../test/support/pipeline/temporary-store.ts';
import type { DayRows } from '../../../test/support/pipeline/write-day.ts';
import { readEvents } from '../../../test/support/webhooks/read-events.ts';
import { CUTOVER } from '../../../test/worlds/rated-days.ts';
import type { ChangeTopic } from '../topics/topics.ts';

let store: TemporaryStore;
afterEach(() => store.dispose());

const [FIRST, SECOND] = [addDays(CUTOVER, 1), addDays(CUTOVER, 2)];

async function eventsBetween(before: DayRows, after: DayRows, topic: ChangeTopic) {
  store = await openTemporaryStore();
  await store.publish(FIRST, before);
  await store.publish(SECOND, after);
  return readEvents(store, { day: SECOND, before: FIRST, topics: new Set([topic]) });
}

const tokens = { unit: 'token', per: 1_000_000 };
const OUTPUT = { meter: 'output', ...tokens, price: 2 };
const cache = (value: number, more: object = {}) => ({ meter: 'cache_read', ...tokens, price: value, ...more });
/** Without rates it has the price of output alone. */
const price = (provider: string, rates?: readonly object[], more: object = {}) => ({
  model_id: 'm',
  provider,
  output_per_million: 2,
  ...(rates === undefined ? {} : { rates: [OUTPUT, ...rates] }),
  ...more,
});

test('a change of any rate is a change of the price, and the event says which; its form alone is none', async () => {
  const models = [{ id: 'm', name: 'M' }];
  const many = (factor: number) =>
    Array.from({ length: 30 }, (_, index) => cache(factor * (index + 1), { when: { context_min: index + 1 } }));
  const onlyCache = { output_per_million: null, rates: [cache(1)] };
  const before = [
    price('batch', [cache(1), cache(0.5, { when: { tier: 'batch' } })]),
    price('currency', [cache(1)]),
    price('emptied', undefined, onlyCache),
    price('filled'),
    price('form', [cache(1)]),
    price('gone', [cache(1)]),
    price('many', many(1)),
    price('same', [cache(1)]),
  ];
  const after = [
    price('batch', [cache(1), cache(0.4, { when: { tier: 'batch' } })]),
    price('currency', [cache(1)], { currency: 'EUR' }),
    price('emptied', undefined, { output_per_million: null }),
    price('filled', [cache(1)]),
    price('form', [cache(0.001, { per: 1000 })]),
    price('many', many(2)),
    price('new', [cache(1)]),
    price('same', [cache(1)], { effective_from: '2027-01-01' }),
  ];
  const events = await eventsBetween({ models, pricing: before }, { models, pricing: after }, 'pricing.updated');
  const changed = (from: number | null, to: number | null, change_percent: number | null, more: object = {}) => {
    return { meter: 'cache_read', ...tokens, ...more, from, to, change_percent };
  };
  const output = { ...changed(2, 2, null), meter: 'output' };
  const told = new Map(
    events.map(({ data: { seq: _, ...data } }) => ['provider' in data && data.provider, data] as const),
  );
  const event = (provider: string, change: string, more: object = {}) => [
    provider,
    { model_id: 'm', provider, change, ...more },
  ];
  const listed = Array.from({ length: 20 }, (_, index) =>
    changed(index + 1, 2 * (index + 1), 100, { when: { context_min: index + 1 } }),
  );
  expect([...told].sort()).toEqual([
    event('batch', 'price', { rates: [changed(0.5, 0.4, -20, { when: { tier: 'batch' } })], rates_changed: 1 }),
    event('currency', 'price', {
      rates: [output, changed(1, 1, null)],
      rates_changed: 2,
      currency: { from: 'USD', to: 'EUR' },
    }),
    event('emptied', 'price', { rates: [changed(1, null, null)], rates_changed: 1 }),
    event('filled', 'price', { rates: [changed(null, 1, null)], rates_changed: 1 }),
    event('gone', 'provider_removed'),
    event('many', 'price', { rates: listed, rates_changed: 30 }),
    event('new', 'provider_added'),
  ]);
});

test('a model is updated by its name, status, dates and successor, also where one appears, and by nothing else', async () => {
  const known = {
    status: 'active',
    deprecated_on: '2027-03-01',
    retires_on: '2028-03-01',
    replaced_by: 'next',
    max_output_tokens: 64_000,
  };
  const models = (changes: Readonly<Record<string, object>>) =>
    ['all', 'came', 'new', 'other', 'went']
      .filter((id) => id in changes)
      .map((id) => ({ id, name: id, ...changes[id] }));
  const before = models({ all: known, came: {}, other: known, went: known });
  const moved = { status: 'retired', deprecated_on: '2027-02-01', retires_on: '2027-02-02', replaced_by: 'later' };
  const after = models({
    all: { name: 'Renamed', ...moved },
    came: { status: 'preview' },
    new: known,
    other: { ...known, max_output_tokens: 128_000, context_length: 5, capabilities: ['tools'], organization: 'O' },
    went: { ...known, retires_on: null },
  });
  const events = await eventsBetween({ models: before }, { models: after }, 'model.updated');
  const event = (model_id: string, ...changed: readonly (readonly [string, string | null, string | null])[]) => ({
    topic: 'model.updated',
    data: { model_id, changed: changed.map(([field, from, to]) => ({ field, from, to })), seq: expect.any(Number) },
  });
  expect(events).toEqual([
    event(
      'all',
      ['name', 'all', 'Renamed'],
      ['status', 'active', 'retired'],
      ['deprecated_on', '2027-03-01', '2027-02-01'],
      ['retires_on', '2028-03-01', '2027-02-02'],
      ['replaced_by', 'next', 'later'],
    ),
    event('came', ['status', null, 'preview']),
    event('went', ['retires_on', '2028-03-01', null]),
  ]);
});

test('a rate has a direction where both prices are known in one currency, and so has one that was 0', async () => {
  const models = [{ id: 'm', name: 'M' }];
  const output = (provider: string, value: number | null, more: object = {}) =>
    price(provider, undefined, { output_per_million: value, ...more });
  const before = [
    output('came', null),
    output('currency', 2),
    output('free', 0),
    output('freed', 2),
    output('went', 2),
  ];
  const after = [
    output('came', 2),
    output('currency', 1, { currency: 'EUR' }),
    output('free', 2),
    output('freed', 0),
    output('went', null),
  ];
  const events = await eventsBetween({ models, pricing: before }, { models, pricing: after }, 'pricing.updated');
  const moves = events.map((event) => [
    'provider' in event.data && event.data.provider,
    'rates' in event && event.rates,
  ]);
  const move = (direction: string | null, percent: number) => [{ meter: 'output', direction, percent }];
  expect(moves).toEqual([
    ['came', move(null, Number.POSITIVE_INFINITY)],
    ['currency', move(null, Number.POSITIVE_INFINITY)],
    ['free', move('up', Number.POSITIVE_INFINITY)],
    ['freed', move('down', 100)],
    ['went', move(null, Number.POSITIVE_INFINITY)],
  ]);
});
