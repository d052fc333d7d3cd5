/** The pages of prices and costs (specification "Pages"). */
import { describe, expect, test } from 'vitest';
import { SYSTEM } from '../../api/accounts/actor.ts';
import { getOrganization } from '../../api/accounts/organizations/organizations.ts';
import { METERS, type Meter, type Rate, tokenPrice } from '../../schemas/rates.ts';
import { useConsole } from '../support/console/use-console.ts';
import type { TemporaryStore } from '../support/pipeline/temporary-store.ts';

/** Before version 1.2 of the records, and its first day. */
const [OLD_DAY, DAY] = ['2027-01-31', '2027-02-01'] as const;

function rate(meter: Meter, price: number, more: Partial<Rate> = {}): Rate {
  return { meter, unit: 'token', per: 1_000_000, price, ...more };
}

function priceOf(model_id: string, provider: string, rates: readonly Rate[], more: object = {}): object {
  const [input, output] = [tokenPrice(rates, 'input') ?? null, tokenPrice(rates, 'output') ?? null];
  return { model_id, provider, input_per_million: input, output_per_million: output, ...more, rates };
}

const TIERED = [
  ...[rate('input', 2), rate('output', 6), rate('cache_read', 0.2)],
  ...[rate('input', 1, { when: { tier: 'batch', region: 'eu' } }), rate('output', 3, { when: { tier: 'batch' } })],
  rate('input', 4, { when: { context_min: 200_000, applies: 'marginal' } }),
  { meter: 'search', unit: 'request', per: 1000, price: 10 },
];
const IMAGE = { meter: 'image_out', unit: 'image', per: 1, price: 0.04 };
const SELLERS = Array.from({ length: 60 }, (_, at) => `seller-${String(at).padStart(2, '0')}`);

/** As many as a price may have, of all meters and units, with the longest conditions. */
const MANY_RATES = METERS.flatMap((meter) =>
  ['token', 'image', 'second', 'request', 'page'].flatMap((unit) =>
    ['', 'eu-'.padEnd(60, 'x'), 'us-'.padEnd(60, 'x')].map((region) => {
      const when = { tier: 'priority', context_min: 200_000, applies: 'request', region };
      return { meter, unit, per: 1000, price: 0.123_456_7, ...(region === '' ? {} : { when }) };
    }),
  ),
);
const MODELS = ['m', 'media', 'euro', 'both', 'many', 'rated'].map((id) => ({ id, name: `The ${id}` }));
const OLD = { model_id: 'm', provider: 'cheap', input_per_million: 3, output_per_million: 4 };
const PRICING = [
  priceOf('m', 'cheap', [rate('input', 1), rate('output', 4)]),
  priceOf('m', 'tiered', TIERED),
  priceOf('media', 'by-image', [IMAGE]),
  priceOf('euro', 'shop', [rate('input', 0.0375)], { currency: 'EUR' }),
  priceOf('euro', 'mall', [rate('input', 0.03)], { currency: 'USD' }),
  priceOf('both', 'by-image', [IMAGE]),
  priceOf('both', 'by-token', [rate('image_out', 30)]),
  ...SELLERS.map((provider) => priceOf('rated', provider, MANY_RATES)),
  ...SELLERS.map((provider, at) => priceOf('many', provider, [rate('input', 100 - at)])),
];

async function publishOld(store: TemporaryStore): Promise<void> {
  await store.publish(OLD_DAY, { models: MODELS, pricing: [OLD] });
}

async function publish(store: TemporaryStore): Promise<void> {
  await publishOld(store);
  await store.publish(DAY, { models: MODELS, pricing: PRICING });
}

const console = useConsole({ days: publish, now: `${DAY}T12:00:00Z` });

/** The page as rows of a table: the text of its cells. */
function rowsIn(body: string, caption: string): readonly (readonly string[])[] {
  const [, table = ''] = new RegExp(`<caption[^>]*>${caption}</caption>([\\s\\S]*?)</table>`).exec(body) ?? [];
  return [...table.matchAll(/<tr>([\s\S]*?)<\/tr>/g)].map(([, row = '']) =>
    [...row.matchAll(/<t[hd][^>]*>([\s\S]*?)<\/t[hd]>/g)].map(([, cell = '']) => textOf(cell)),
  );
}

function textOf(html: string): string {
  return html
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

async function pageOf(path: string, org?: string) {
  const { org: own, ada } = await console.own();
  const response = await ada.get(`/console/orgs/${org ?? own}/data/${path}`);
  return { status: response.statusCode, body: response.body, text: textOf(response.body) };
}

/** The problem beside each field that has one, by the field's name. */
function problemsIn(body: string): Readonly<Record<string, string>> {
  const found = [...body.matchAll(/<p class="problem" id="field-(\w+)-problem">([\s\S]*?)<\/p>/g)];
  return Object.fromEntries(found.map(([, name = '', text = '']) => [name, textOf(text)]));
}

describe('the page of prices', () => {
  test('shows the rate of a meter, the other rates in short, and those with a condition', async () => {
    const { body } = await pageOf('prices?model=m');
    expect(rowsIn(body, 'Prices')).toEqual([
      ['Model', 'Provider', 'Input, per 1M tokens', 'Other rates, per 1M tokens', 'Changed'],
      ['m', 'cheap', '$1.00', 'output $4.00', DAY],
      [
        'm',
        'tiered',
        '$2.00',
        'cache read $0.20, output $6.00, search $0.01 per request 3 with a condition above 200,000 tokens (for those above): input $4.00 batch, in eu: input $1.00 batch: output $3.00',
        DAY,
      ],
    ]);
    expect(body).toContain(`/data/models/m">m</a>`);
  });

  test.each([
    [
      'meter=search&model=m',
      'Search, per request',
      ['m', 'tiered', '$0.01', expect.stringContaining('input $2.00'), DAY],
    ],
    [
      'meter=image_out&model=media',
      'Image out, per 1M tokens',
      ['media', 'by-image', '', 'image out $0.04 per image', DAY],
    ],
    ['provider=shop', 'Input, per 1M tokens', ['euro', 'shop', '0.0375 EUR', '', DAY]],
    ['min_price=1.5&max_price=2.5&provider=tiered', 'Input, per 1M tokens', expect.arrayContaining(['$2.00'])],
  ])('names the unit of %s in the head of its column', async (query, head, row) => {
    const rows = rowsIn((await pageOf(`prices?${query}`)).body, 'Prices');
    expect([rows[0]?.[2], rows.slice(1)]).toEqual([head, [row]]);
  });

  test('orders as asked, page by page, and names the request of the API', async () => {
    const { org, ada } = await console.own();
    const providers: (string | undefined)[] = [];
    let [next, pages]: [string | undefined, number] = [`/console/orgs/${org}/data/prices?model=many&sort=price`, 0];
    while (next !== undefined) {
      const { body } = await ada.get(next);
      providers.push(
        ...rowsIn(body, 'Prices')
          .slice(1)
          .map(([, provider]) => provider),
      );
      expect(body).toContain('/v1/pricing?model=many&amp;sort=price&amp;limit=50');
      [next, pages] = [/<a href="([^"]+)" rel="next"/.exec(body)?.[1]?.replaceAll('&amp;', '&'), pages + 1];
    }
    expect([pages, providers]).toEqual([2, SELLERS.toReversed()]);
  });

  test('has less than 100 KB where prices have as many rates as they may', async () => {
    const { body, text } = await pageOf('prices?model=rated');
    expect(rowsIn(body, 'Prices')).toHaveLength(1 + 50);
    expect(Buffer.byteLength(body)).toBeLessThan(100_000);
    expect(text).toMatch(/and 52 more 130 with a condition .* and 124 more/);
  });

  test('says so where nothing matches, and what is wrong with a filter', async () => {
    const none = await pageOf('prices?model=no-such-model');
    expect([none.status, none.text.includes('No price matches these filters.')]).toEqual([200, true]);
    const wrong = await pageOf('prices?min_price=cheap');
    expect([wrong.status, wrong.text.includes('min_price: Input should be a valid number')]).toEqual([200, true]);
  });
});

describe('the page of costs', () => {
  test('is a form until a quantity is sent, filled in by links to it', async () => {
    const { status, body, text } = await pageOf('cost?model=m&provider=tiered');
    expect([status, problemsIn(body), text.includes('Total')]).toEqual([200, {}, false]);
    expect(body).toMatch(/<form method="get" action="[^"]*\/data\/cost"/);
    for (const name of ['model', 'provider', 'on', 'tier', 'region', 'units', ...METERS])
      expect(body).toMatch(new RegExp(`<(?:input|select)[^>]* name="${name}"`));
    expect(body).toMatch(/<input[^>]* name="provider"[^>]* value="tiered"/);
  });

  test('compares all providers, cheapest first, and says in the words of the API why others have no cost', async () => {
    // 1,000 × 1 + 100 × 4 = 1,400; 1,000 × 2 + 100 × 6 = 2,600; / 10⁶
    const { status, body, text } = await pageOf(
      'cost?model=m&provider=&on=&tier=&region=&units=&input=1000&output=100',
    );
    expect(status).toBe(200);
    expect(text).toMatch(
      /Total 0\.0014 USD Model m Provider cheap Day of the price 2027-02-01 In force since 2027-02-01 Source of the price captured/,
    );
    expect(rowsIn(body, 'Parts of the cost')).toEqual([
      ['Meter', 'Quantity', 'Rate, USD', 'Per', 'Condition', 'Cost, USD'],
      ['Input', '1,000', '1', '1M tokens', '', '0.001'],
      ['Output', '100', '4', '1M tokens', '', '0.0004'],
    ]);
    expect(rowsIn(body, 'The same request at each provider')).toEqual([
      ['Provider', 'Cost, USD'],
      ['cheap', '0.0014'],
      ['tiered', '0.0026'],
    ]);
    expect(body).toContain('/v1/cost?model=m&amp;input=1000&amp;output=100&quot;');
    const cached = await pageOf('cost?model=m&input=10&cache_read=1000');
    // 10 × 2 + 1,000 × 0.2 = 220; / 10⁶
    expect(rowsIn(cached.body, 'The same request at each provider')).toEqual([
      ['Provider', 'Cost, USD', 'No cost because'],
      ['tiered', '0.00022', ''],
      ['cheap', '', 'cheap has no rate for cache_read'],
    ]);
  });

  test('splits a meter by its rates, and shows the condition of each', async () => {
    // 200,000 × 2 = 400,000; 100,000 × 4 = 400,000; / 10⁶
    const { body, text } = await pageOf('cost?model=m&provider=tiered&input=300000&search=2');
    expect(text).toContain('Total 0.82 USD');
    expect(rowsIn(body, 'Parts of the cost').slice(1)).toEqual([
      ['Input', '200,000', '2', '1M tokens', '', '0.4'],
      ['Input', '100,000', '4', '1M tokens', 'above 200,000 tokens (for those above)', '0.4'],
      ['Search', '2', '10', '1,000 requests', '', '0.02'],
    ]);
    expect(body).not.toContain('The same request at each provider');
    const batch = await pageOf('cost?model=m&provider=tiered&input=1000&tier=batch&region=eu');
    expect(rowsIn(batch.body, 'Parts of the cost').slice(1)).toEqual([
      ['Input', '1,000', '1', '1M tokens', 'batch, in eu', '0.001'],
    ]);
    expect(batch.body).toMatch(/<option value="batch" selected/);
  });

  test('prices a day before version 1.2, and says what it takes for granted', async () => {
    const { body, text } = await pageOf(`cost?model=m&on=${OLD_DAY}&input=1000`);
    expect(text).toContain(`Total 0.003 USD Model m Provider cheap Day of the price ${OLD_DAY}`);
    expect(rowsIn(body, 'Parts of the cost')[1]?.at(-1)).toBe('the price has no tiers and thresholds; none are known');
    expect(rowsIn(body, 'The same request at each provider').slice(1)).toEqual([
      ['cheap', '0.003', ''],
      ['tiered', '', `No price of this model at this provider is known for ${OLD_DAY}`],
    ]);
  });

  test('compares the cheapest with 49 others where a model has more', async () => {
    const { body, text } = await pageOf('cost?model=many&input=1');
    const rows = rowsIn(body, 'The same request at each provider').slice(1);
    expect([rows.length, rows[0]?.[0]]).toEqual([50, SELLERS.at(-1)]);
    expect(text).toContain('At most 50 providers are shown');
  });

  test.each([
    ['model=m&input=', { input: 'Field required' }],
    ['model=&input=1', { model: 'Field required' }],
    ['model=none&input=1', { model: 'There is no such model' }],
    ['model=m&provider=none&input=1', { provider: 'There is no such provider' }],
    [
      'model=m&input=1.5&output=-1',
      {
        input: 'Input should be a valid integer, unable to parse string as an integer',
        output: 'Input should be greater than or equal to 0',
      },
    ],
    ['model=m&input=1&on=2027-02-02', { on: 'on is in the future; today is 2027-02-01' }],
    ['model=m&input=1&tier=slow', { tier: "Input should be 'batch', 'flex', 'priority' or 'fast'" }],
    ['model=m&input=1&units=input', { units: expect.stringContaining('Input should be KEY:NAME') }],
    ['model=m&provider=cheap&input=1&cache_read=1', { cache_read: 'cheap has no rate for cache_read' }],
    ['model=m&input=1&audio_in=1', { model: expect.stringContaining('No provider has every rate') }],
  ])('says what is wrong with %s beside the field, and keeps what was typed', async (query, problems) => {
    const { status, body } = await pageOf(`cost?${query}`);
    expect([status, problemsIn(body)]).toEqual([422, problems]);
    expect(body.match(/role="alert"/g)).toHaveLength(1);
    expect(body).not.toContain('Parts of the cost');
    for (const [name, value] of new URLSearchParams(query)) {
      if (value !== '' && name !== 'tier') expect(body).toMatch(new RegExp(`name="${name}"[^>]* value="${value}"`));
    }
  });

  test.each(['model=&input=1', 'input=1', 'model=none&input=1', `model=${'x'.repeat(201)}&input=1`])(
    'compares no providers of no model: %s',
    async (query) => {
      const { status, body } = await pageOf(`cost?${query}`);
      expect([status, Object.keys(problemsIn(body)), rowsIn(body, 'The same request at each provider')]).toEqual([
        422,
        ['model'],
        [],
      ]);
    },
  );

  test('lists each provider with what it lacks where none has all rates', async () => {
    const { body } = await pageOf('cost?model=m&input=1&audio_in=1');
    expect(rowsIn(body, 'The same request at each provider').slice(1)).toEqual([
      ['cheap', '', 'cheap has no rate for audio_in'],
      ['tiered', '', 'tiered has no rate for audio_in'],
    ]);
  });

  test('compares costs in several currencies by currency, and those in several units not at all', async () => {
    const euro = await pageOf('cost?model=euro&input=1000000');
    expect([euro.status, problemsIn(euro.body)]).toEqual([
      422,
      { model: expect.stringContaining('several currencies') },
    ]);
    expect(rowsIn(euro.body, 'The same request at each provider')).toEqual([
      ['Provider', 'Cost'],
      ['shop', '0.0375 EUR'],
      ['mall', '0.03 USD'],
    ]);
    const both = await pageOf('cost?model=both&input=0&image_out=2');
    expect([both.status, problemsIn(both.body)]).toEqual([
      422,
      { image_out: expect.stringContaining('several units') },
    ]);
    expect(both.body).not.toContain('The same request at each provider');
    expect(both.body).toMatch(/<details[^>]* open/);
    const chosen = await pageOf('cost?model=both&input=0&image_out=2&units=image_out%3Aimage');
    expect(chosen.text).toContain('Total 0.08 USD');
  });

  test('ends where the plan does', async () => {
    const org = await console.organization({ 'ada@example.com': 'owner' }, 'community');
    const { status, body } = await pageOf('cost?model=m&input=1&on=2026-01-01', org);
    expect([status, problemsIn(body)]).toEqual([
      422,
      { on: expect.stringMatching(/^The history of your plan begins/) },
    ]);
  });

  test('costs no unit, however many providers it compares', async () => {
    const { org, ada } = await console.own();
    await ada.get(`/console/orgs/${org}/data/cost?model=many&input=1`);
    const { terms } = await getOrganization(org, console.accounts.as(SYSTEM));
    const caller = { organizationId: org, credentialId: '', terms, clientSource: 'api_key' } as const;
    expect((await console.accounts.quota.usage(caller)).used).toBe(0);
  });

  test('shows what was typed as text', async () => {
    const hostile = '"><script>alert(1)</script>';
    const { status, body } = await pageOf(`cost?model=${encodeURIComponent(hostile)}&input=1`);
    expect([status, body.includes('<script>alert'), body.includes('&lt;script')]).toEqual([422, false, true]);
  });
});

test('the page of a model leads to its costs', async () => {
  expect((await pageOf('models/m')).body).toMatch(/href="[^"]*\/data\/cost\?model=m"/);
});

describe('before version 1.2 of the records', () => {
  const old = useConsole({ days: publishOld, now: `${OLD_DAY}T12:00:00Z` });

  test('both pages have the prices of input and output, and have the rates once these are published', async () => {
    const { org, ada } = await old.own();
    const show = async (path: string) => (await ada.get(`/console/orgs/${org}/data/${path}`)).body;
    expect(rowsIn(await show('prices'), 'Prices').slice(1)).toEqual([['m', 'cheap', '$3.00', 'output $4.00', OLD_DAY]]);
    expect(await show('prices?meter=cache_read')).toContain('No price matches these filters.');
    const parts = rowsIn(await show('cost?model=m&input=1000'), 'Parts of the cost');
    expect(parts.slice(1)).toEqual([
      ['Input', '1,000', '3', '1M tokens', '', '0.003', expect.stringContaining('no tiers')],
    ]);
    await old.api.store.publish(DAY, { models: MODELS, pricing: PRICING });
    await old.api.follower.refresh();
    expect(rowsIn(await show('prices?meter=cache_read'), 'Prices')[1]?.slice(0, 3)).toEqual(['m', 'tiered', '$0.20']);
  });
});

describe('where prices are not offered', () => {
  const without = useConsole({ days: publish, now: `${DAY}T12:00:00Z`, capabilities: { pricing: 'planned' } });

  test.each(['prices', 'cost', 'cost?model=m&input=1'])('data/%s says so', async (path) => {
    const { org, ada } = await without.own();
    const { statusCode, body } = await ada.get(`/console/orgs/${org}/data/${path}`);
    expect([statusCode, body.includes('This service does not offer this data')]).toEqual([200, true]);
  });
});
