/** `GET /v1/cost` (specification "Cost"). */
import { expect, test } from 'vitest';
import { addDays, type Day } from '../../../runtime/day.ts';
import { openOwnApi, useApi } from '../../../test/support/api/use-api.ts';
import type { TemporaryStore } from '../../../test/support/pipeline/temporary-store.ts';
import { createChooser } from '../../../test/support/random.ts';
import { CUTOVER } from '../../../test/worlds/rated-days.ts';

/** Before version 1.2 of the records, its first day, and a later one; nothing was captured between them. */
const [OLD_DAY, FIRST_DAY, LAST_DAY, TODAY] = [dayAt(-2), dayAt(0), dayAt(3), dayAt(5)] as const;

function dayAt(days: number): Day {
  return addDays(CUTOVER, days);
}

function rate(meter: string, price: number, when?: object): object {
  return { meter, unit: 'token', per: 1_000_000, price, ...(when === undefined ? {} : { when }) };
}

function priceOf(model_id: string, provider: string, rates: readonly object[], more: object = {}): object {
  const find = (meter: string) => {
    const found = rates.find((one) => Object(one).meter === meter && Object(one).when === undefined);
    return found === undefined ? null : Number(Object(found).price);
  };
  return { model_id, provider, input_per_million: find('input'), output_per_million: find('output'), ...more, rates };
}

const MODELS = ['m', 'bare', 'gone', 'media', 'both', 'money'].map((id) => ({ id, name: id }));
const CHEAP = [rate('input', 1), rate('output', 4)];
const WHOLE = [
  ...[rate('input', 2), rate('output', 6), rate('cache_read', 0.2)],
  ...[rate('input', 1, { tier: 'batch' }), rate('output', 3, { tier: 'batch' })],
  rate('input', 4, { context_min: 200_000 }),
];
const IMAGE = { meter: 'image_out', unit: 'image', per: 1, price: 0.04 };

function pricesWith(cheap: readonly object[]): readonly object[] {
  return [
    priceOf('m', 'cheap', cheap),
    priceOf('m', 'whole', WHOLE),
    priceOf('media', 'by-image', [IMAGE]),
    priceOf('media', 'by-token', [rate('image_out', 30)]),
    priceOf('both', 'either', [rate('image_out', 30), IMAGE]),
    priceOf('both', 'by-token', [rate('image_out', 30)]),
    priceOf('money', 'dollar', CHEAP),
    priceOf('money', 'euro', CHEAP, { currency: 'EUR' }),
  ];
}

async function publish(store: TemporaryStore): Promise<void> {
  const old = [
    { model_id: 'm', provider: 'cheap', input_per_million: 3, output_per_million: 4 },
    { model_id: 'gone', provider: 'cheap', input_per_million: 5, output_per_million: 5 },
  ];
  await store.publish(OLD_DAY, { models: MODELS, pricing: old });
  const models = MODELS.filter(({ id }) => id !== 'gone');
  await store.publish(FIRST_DAY, { models, pricing: pricesWith(CHEAP) });
  await store.publish(LAST_DAY, { models, pricing: pricesWith([rate('input', 1.5), rate('output', 4)]) });
  const before = { model_id: 'm', provider: 'cheap', input_per_million: 9, output_per_million: 9 };
  await store.backfill([{ ...before, effective_from: dayAt(-12) }], `${dayAt(4)}T00:00:00Z`);
}

const api = useApi({ days: publish, now: `${TODAY}T12:00:00Z` });

async function costFor(query: string) {
  return api.json(`/v1/cost?${query}`);
}

async function problemsFor(query: string): Promise<readonly object[]> {
  const response = await api.get(`/v1/cost?${query}`);
  expect(response.statusCode).toBe(422);
  return response.json().detail;
}

test('the cost is that of the cheapest provider with all rates, with its parts and where they are from', async () => {
  // 1,000 × 1.5 = 1,500; 100 × 4 = 400; / 10⁶. At whole: 1,000 × 2 + 100 × 6 = 2,600.
  expect(await costFor('model=m&input=1000&output=100')).toEqual({
    model_id: 'm',
    cost: 0.0019,
    currency: 'USD',
    parts: [
      { meter: 'input', quantity: 1000, rate: rate('input', 1.5), cost: 0.0015, assumed: [] },
      { meter: 'output', quantity: 100, rate: rate('output', 4), cost: 0.0004, assumed: [] },
    ],
    provider: 'cheap',
    on: TODAY,
    valid_from: LAST_DAY,
    source: 'capture',
    missing: [],
  });
});

test('providers without a rate for a meter are named, and not compared', async () => {
  // 10 × 2 = 20; 1,000 × 0.2 = 200; / 10⁶
  expect(await costFor('model=m&input=10&cache_read=1000')).toMatchObject({
    cost: 0.00022,
    provider: 'whole',
    valid_from: FIRST_DAY,
    missing: [{ provider: 'cheap', meters: ['cache_read'] }],
  });
  // A batch: 1,000 × 1 + 100 × 3 = 1,300; / 10⁶
  expect(await costFor('model=m&input=1000&output=100&tier=batch')).toMatchObject({ cost: 0.0013, provider: 'whole' });
});

test('a requested provider is taken, cheapest or not', async () => {
  // 1,000 × 2 + 100 × 6 = 2,600; / 10⁶
  expect(await costFor('model=m&input=1000&output=100&provider=whole')).toMatchObject({ cost: 0.0026, missing: [] });
  // 200,001 × 4 = 800,004; / 10⁶
  expect(await costFor('model=m&input=200001&provider=whole')).toMatchObject({
    cost: 0.800004,
    parts: [{ assumed: ['applies'] }],
  });
});

test.each([
  ['the first day with rates', FIRST_DAY, { cost: 0.001, valid_from: FIRST_DAY, source: 'capture' }],
  ['the day of a change', LAST_DAY, { cost: 0.0015, valid_from: LAST_DAY }],
  ['a day without a capture after the last one', dayAt(4), { cost: 0.0015, valid_from: LAST_DAY }],
  ['a day before version 1.2', OLD_DAY, { cost: 0.003, valid_from: OLD_DAY, parts: [{ assumed: ['conditions'] }] }],
  ['a reconstructed day', dayAt(-7), { cost: 0.009, valid_from: dayAt(-12), source: 'backfill' }],
])('on %s the price of that day is taken', async (_, on, expected) => {
  expect(await costFor(`model=m&input=1000&provider=cheap&on=${on}`)).toMatchObject({ on, ...expected });
});

test('a day without a capture has the price of the days around it if that is one; else it has none', async () => {
  const on = dayAt(1);
  expect(await costFor(`model=m&input=1000&on=${on}`)).toMatchObject({
    cost: 0.002,
    provider: 'whole',
    missing: [{ provider: 'cheap', meters: ['input'] }],
  });
  expect(await costFor(`model=m&input=1&cache_read=0&output=1&provider=whole&on=${on}`)).toMatchObject({ missing: [] });
  expect(await problemsFor(`model=m&input=1&search=2&on=${on}`)).toMatchObject([
    {
      loc: ['query', 'model'],
      type: 'rate_missing',
      ctx: {
        missing: [
          { provider: 'cheap', meters: ['input', 'search'], reasons: [`has no known price for ${on}`] },
          { provider: 'whole', meters: ['search'] },
        ],
      },
    },
  ]);
  expect(await costFor(`model=m&input=1&on=${dayAt(4)}`)).toMatchObject({ missing: [] });
  expect(await problemsFor(`model=m&input=1000&provider=cheap&on=${on}`)).toMatchObject([
    { loc: ['query', 'provider'], type: 'price_missing', msg: expect.stringContaining(on) },
  ]);
});

test('a record whose row was set aside in the last night is still the price of today, without an interval', async () => {
  const models = [{ id: 'm', name: 'm' }];
  const pricing = ['p', 'q', 'r'].map((provider) => priceOf('m', provider, CHEAP));
  const own = await openOwnApi({
    days: async (store) => {
      await store.publish(FIRST_DAY, { models, pricing });
      await store.publish(LAST_DAY, {
        models,
        pricing: [{ ...pricing[0], input_per_million: 'dear' }, ...pricing.slice(1)],
      });
    },
    now: `${TODAY}T12:00:00Z`,
  });
  expect(await own.json('/v1/cost?model=m&input=1000&provider=p')).toMatchObject({ cost: 0.001, valid_from: null });
  expect((await own.get(`/v1/cost?model=m&input=1000&provider=p&on=${LAST_DAY}`)).statusCode).toBe(422);
  expect(await own.json(`/v1/cost?model=m&input=1000&provider=p&on=${FIRST_DAY}`)).toMatchObject({
    valid_from: FIRST_DAY,
  });
});

test('a model without a price that day, or an unknown id, is refused', async () => {
  const missing = [{ loc: ['query', 'model'], type: 'price_missing' }];
  expect(await problemsFor('model=bare&input=1')).toMatchObject(missing);
  expect(await problemsFor('model=gone&input=1')).toMatchObject(missing);
  expect(await costFor(`model=gone&input=1000&on=${OLD_DAY}`)).toMatchObject({ cost: 0.005 });
  const unknown = async (query: string) => (await api.get(`/v1/cost?${query}`)).json().error;
  expect(await unknown('model=M&input=1')).toMatchObject({ code: 'not_found', param: 'model' });
  expect(await unknown('model=m&input=1&provider=Cheap')).toMatchObject({ code: 'not_found', param: 'provider' });
});

test('meters without a rate are refused: each by name for one provider, else by provider', async () => {
  expect(await problemsFor('model=m&input=1&cache_read=2&search=3&provider=cheap')).toEqual([
    {
      loc: ['query', 'cache_read'],
      msg: 'cheap has no rate for cache_read',
      type: 'rate_missing',
      input: '2',
      ctx: { provider: 'cheap' },
    },
    {
      loc: ['query', 'search'],
      msg: 'cheap has no rate for search',
      type: 'rate_missing',
      input: '3',
      ctx: { provider: 'cheap' },
    },
  ]);
  expect(await problemsFor('model=m&input=1&cache_read=2&tier=batch')).toMatchObject([
    {
      loc: ['query', 'model'],
      type: 'rate_missing',
      msg:
        'No provider has every rate that the request needs: cheap has no rate for input with tier batch and has no rate for cache_read; ' +
        'whole has no rate for cache_read with tier batch',
      ctx: {
        missing: [
          {
            provider: 'cheap',
            meters: ['input', 'cache_read'],
            reasons: ['has no rate for input with tier batch', 'has no rate for cache_read'],
          },
          { provider: 'whole', meters: ['cache_read'], reasons: ['has no rate for cache_read with tier batch'] },
        ],
      },
    },
  ]);
});

test('of a rate for reasoning that is missing it is said once that the tokens may be part of output', async () => {
  const hint = 'If a provider charges reasoning as output, count these tokens in output.';
  expect(await problemsFor('model=m&input=1&reasoning=2')).toMatchObject([
    {
      msg: `No provider has every rate that the request needs: cheap has no rate for reasoning; whole has no rate for reasoning. ${hint}`,
      ctx: { missing: [{ reasons: ['has no rate for reasoning'] }, { reasons: ['has no rate for reasoning'] }] },
    },
  ]);
  expect(await problemsFor('model=m&input=1&reasoning=2&search=1&provider=cheap')).toMatchObject([
    { loc: ['query', 'reasoning'], msg: `cheap has no rate for reasoning. ${hint}` },
    { loc: ['query', 'search'], msg: 'cheap has no rate for search' },
  ]);
});

test('what can’t be compared is refused: pictures with tokens, dollars with euros', async () => {
  expect(await problemsFor('model=media&input=0&image_out=1')).toMatchObject([
    { loc: ['query', 'image_out'], type: 'value_error', msg: expect.stringContaining('image, token') },
  ]);
  expect(await costFor('model=media&input=0&image_out=1&units=image_out:image')).toMatchObject({ cost: 0.04 });
  expect(await costFor('model=media&input=0&image_out=1&provider=by-token')).toMatchObject({ cost: 0.00003 });
  // One price has both units, the other one only: 2 may be pictures.
  const unlike = [{ loc: ['query', 'image_out'], type: 'value_error', msg: expect.stringContaining('image, token') }];
  expect(await problemsFor('model=both&input=0&image_out=2')).toMatchObject(unlike);
  expect(await problemsFor('model=both&input=0&image_out=2&provider=either')).toMatchObject(unlike);
  expect(await costFor('model=both&input=0&image_out=2&units=image_out:image')).toMatchObject({ cost: 0.08 });
  expect(await costFor('model=both&input=0&image_out=2&provider=by-token')).toMatchObject({ cost: 0.00006 });
  expect(await problemsFor('model=money&input=1')).toMatchObject([{ loc: ['query', 'model'], type: 'value_error' }]);
  expect(await costFor('model=money&input=1000&provider=euro')).toMatchObject({ cost: 0.001, currency: 'EUR' });
});

test.each([
  ['input', 'model=m'],
  ['model', 'input=1'],
  ['on', `model=m&input=1&on=${dayAt(6)}`],
  ['input', 'model=m&input=-1'],
  ['output', 'model=m&input=1&output=1.5'],
  ['cache_read', 'model=m&input=1&cache_read=9007199254740991'],
  ['tier', 'model=m&input=1&tier=slow'],
  ['units', 'model=m&input=1&units=input'],
  ['units', 'model=m&input=1&units=input:litre'],
  ['units', 'model=m&input=1&units=input:token,input:token'],
])('%s of %s is refused', async (name, query) => {
  expect(await problemsFor(query)).toMatchObject([{ loc: ['query', name] }]);
});

test('days before the plan’s window are refused as for a history', async () => {
  const own = await openOwnApi({ store: api.store.url, accounts: {}, now: `${dayAt(182)}T12:00:00Z` });
  const { community, commercial } = own.accounts.customers;
  const path = `/v1/cost?model=m&input=1000&on=${OLD_DAY}`;
  const refused = await own.ask(community, path);
  expect([refused.statusCode, refused.json().error]).toMatchObject([
    403,
    { code: 'history_window_exceeded', param: 'on', plan: 'community', message: expect.stringContaining(dayAt(0)) },
  ]);
  expect((await own.ask(community, `/v1/cost?model=m&input=1000&on=${FIRST_DAY}`)).statusCode).toBe(200);
  expect((await own.ask(commercial, path)).json()).toMatchObject({ cost: 0.003 });
});

test('one unit is charged for a cost, none for a refusal', async () => {
  const own = await openOwnApi({ store: api.store.url, accounts: {}, now: `${TODAY}T12:00:00Z` });
  const { builder } = own.accounts.customers;
  const left = async (query: string) =>
    Number((await own.ask(builder, `/v1/cost?${query}`)).headers['x-quota-remaining']);
  const first = await left('model=m&input=1');
  expect(await left('model=m&input=2')).toBe(first - 1);
  expect(await left('model=m&input=2&search=1')).toBe(first - 1);
  expect(await left('model=none&input=2')).toBe(first - 1);
});

test('a capture after the day may end the price before it, which changes the tag', async () => {
  const own = await openOwnApi({ days: publish, now: `${TODAY}T12:00:00Z` });
  const path = `/v1/cost?model=m&input=1000&provider=cheap&on=${dayAt(4)}`;
  const before = await own.get(path);
  expect(before.json()).toMatchObject({ cost: 0.0015 });
  const models = MODELS.filter(({ id }) => id !== 'gone');
  await own.store.publish(TODAY, { models, pricing: pricesWith([rate('input', 1.6), rate('output', 4)]) });
  await own.follower.refresh();
  const after = await own.get(path, { 'if-none-match': String(before.headers['etag']) });
  expect(after.statusCode).toBe(422);
  const whole = await own.get(`/v1/cost?model=m&input=1000&on=${dayAt(4)}`);
  const tag = String(whole.headers['etag']);
  own.clock.set(`${dayAt(8)}T12:00:00Z`);
  await own.store.publish(dayAt(7), { models, pricing: pricesWith(CHEAP) });
  await own.follower.refresh();
  expect((await own.get(`/v1/cost?model=m&input=1000&on=${dayAt(4)}`, { 'if-none-match': tag })).statusCode).toBe(304);
});

test('prices that are reconstructed anew change the tags of their days, and of no others', async () => {
  const own = await openOwnApi({ days: publish, now: `${TODAY}T12:00:00Z` });
  const costOn = (on: string) => own.get(`/v1/cost?model=m&input=1000&on=${on}`);
  const days = [dayAt(-7), OLD_DAY];
  const before = await Promise.all(days.map(costOn));
  const row = { model_id: 'm', provider: 'cheap', input_per_million: 8, output_per_million: 8 };
  await own.store.backfill([{ ...row, effective_from: dayAt(-12) }], `${dayAt(5)}T10:00:00Z`);
  await own.follower.refresh();
  const after = await Promise.all(days.map(costOn));
  expect(after.map(({ headers }, i) => headers['etag'] === before[i]?.headers['etag'])).toEqual([false, true]);
  expect(after.map((response) => response.json().cost)).toEqual([0.008, 0.003]);
  expect(after[0]?.headers['last-modified']).toBe(new Date(`${dayAt(5)}T10:00:00Z`).toUTCString());
});

/** Requests compared; more in `make test-long`. */
const RUNS = Number(process.env['PROPERTY_RUNS'] ?? 40);
const PROVIDERS = Array.from({ length: 12 }, (_, i) => `p${i}`);

test('the cheapest provider is the cheapest of all, asked one by one', async () => {
  const choose = createChooser(1);
  const ratesOf = () => {
    const meters = ['input', 'output', 'cache_read', 'cache_write', 'reasoning', 'search'];
    const base = meters.filter((meter) => meter === 'input' || choose.chance(0.7)).map((meter) => rate(meter, price()));
    const batch = choose.chance(0.5) ? [rate('input', price(), { tier: 'batch' })] : [];
    const applies = choose.pick(['request', 'marginal']);
    const long = choose.chance(0.5) ? [rate('input', price(), { context_min: 1000, applies })] : [];
    return [...base, ...batch, ...long];
  };
  const price = () => choose.integer(1, 50) / 10;
  const own = await openOwnApi({
    days: (store) =>
      store.publish(FIRST_DAY, {
        models: MODELS,
        pricing: PROVIDERS.map((provider) => priceOf('m', provider, ratesOf())),
      }),
    now: `${TODAY}T12:00:00Z`,
  });
  const compared: string[] = [];
  for (let run = 0; run < RUNS; run += 1) {
    const some = (name: string) => (choose.chance(0.4) ? `&${name}=${choose.integer(0, 2000)}` : '');
    const query = `model=m&input=${choose.integer(0, 2000)}${['output', 'cache_read', 'reasoning'].map(some).join('')}${choose.chance(0.2) ? '&tier=batch' : ''}`;
    const alone = await Promise.all(
      PROVIDERS.map(async (provider) => {
        const { statusCode, body } = await own.get(`/v1/cost?${query}&provider=${provider}`);
        return { provider, cost: statusCode === 200 ? Number(JSON.parse(body).cost) : Number.POSITIVE_INFINITY };
      }),
    );
    const ordered = alone.toSorted((a, b) => a.cost - b.cost || (a.provider < b.provider ? -1 : 1));
    const [least] = ordered;
    const { statusCode, body } = await own.get(`/v1/cost?${query}`);
    const found = JSON.parse(body);
    const lacking = alone.filter(({ cost }) => cost === Number.POSITIVE_INFINITY).map(({ provider }) => provider);
    if (lacking.length === PROVIDERS.length) expect(statusCode).toBe(422);
    else {
      expect([found.provider, found.cost], query).toEqual([least?.provider, least?.cost]);
      expect(found.missing.map(({ provider }: { provider: string }) => provider)).toEqual(lacking.sort());
      compared.push(found.provider);
    }
  }
  expect(new Set(compared).size).toBeGreaterThan(3);
});
