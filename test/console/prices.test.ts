/** The pages of prices and costs (specification "Pages"). */
import { describe, expect, test } from 'vitest';
import { useConsole } from '../support/console/use-console.ts';
import type { TemporaryStore } from '../support/pipeline/temporary-store.ts';

/** Before version 1.2 of the records, and its first day. */
const [OLD_DAY, DAY] = ['2027-01-31', '2027-02-01'] as const;

function rate(meter: string, price: number, more: object = {}): object {
  return { meter, unit: 'token', per: 1_000_000, price, ...more };
}

function priceOf(model_id: string, provider: string, rates: readonly object[], more: object = {}): object {
  const find = (meter: string) => {
    const found = rates.find((one) => Object(one).meter === meter && Object(one).when === undefined);
    return found === undefined ? null : Number(Object(found).price);
  };
  return { model_id, provider, input_per_million: find('input'), output_per_million: find('output'), ...more, rates };
}

const TIERED = [
  ...[rate('input', 2), rate('output', 6), rate('cache_read', 0.2)],
  ...[rate('input', 1, { when: { tier: 'batch', region: 'eu' } }), rate('output', 3, { when: { tier: 'batch' } })],
  rate('input', 4, { when: { context_min: 200_000, applies: 'marginal' } }),
  { meter: 'search', unit: 'request', per: 1000, price: 10 },
];
const IMAGE = { meter: 'image_out', unit: 'image', per: 1, price: 0.04 };
const MANY = 60;

async function publish(store: TemporaryStore): Promise<void> {
  const models = ['m', 'media', 'euro', 'many'].map((id) => ({ id, name: `The ${id}` }));
  const old = [{ model_id: 'm', provider: 'cheap', input_per_million: 3, output_per_million: 4 }];
  await store.publish(OLD_DAY, { models, pricing: old });
  const sellers = Array.from({ length: MANY }, (_, at) => `seller-${String(at).padStart(2, '0')}`);
  const pricing = [
    priceOf('m', 'cheap', [rate('input', 1), rate('output', 4)]),
    priceOf('m', 'tiered', TIERED),
    priceOf('media', 'by-image', [IMAGE]),
    priceOf('euro', 'shop', [rate('input', 0.0375)], { currency: 'EUR' }),
    ...sellers.map((provider, at) => priceOf('many', provider, [rate('input', 100 - at)])),
  ];
  await store.publish(DAY, { models, pricing });
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
  return html.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ').trim();
}

async function pageOf(path: string, org?: string) {
  const { org: own, ada } = await console.own();
  const response = await ada.get(`/console/orgs/${org ?? own}/data/${path}`);
  return { status: response.statusCode, body: response.body, text: textOf(response.body) };
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
  });
});
