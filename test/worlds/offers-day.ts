/** A day of offers with every kind of rate and condition, odd names, and sources that allow or forbid to pass their rows on. */
import type { Rate } from '../../schemas/rates.ts';
import type { TemporaryStore } from '../support/pipeline/temporary-store.ts';

/** In version 1.2 of the records. */
export const OFFERS_DAY = '2027-02-05';

const UPSTREAMS = [
  { id: 'litellm', name: 'LiteLLM', url: 'https://litellm.example', license: 'MIT', redistribution: true },
  { id: 'closed', name: 'Closed', url: 'https://closed.example', redistribution: false },
];

type When = NonNullable<Rate['when']>;

function rate(meter: string, price: number, when?: When): Rate {
  return { meter, unit: 'token', per: 1_000_000, price, ...(when === undefined ? {} : { when }) };
}

const LONG: When = { context_min: 200_000, applies: 'request' };

/** Every field of LiteLLM's that a rate can be. */
export const EVERY_RATE: readonly Rate[] = [
  rate('input', 1.25),
  rate('output', 10),
  rate('cache_read', 0.125),
  rate('cache_write', 1.5625),
  rate('cache_write_1h', 2.5),
  rate('reasoning', 12),
  rate('image_in', 2),
  rate('image_out', 30),
  rate('audio_in', 3.2),
  rate('audio_out', 64),
  { meter: 'image_in', unit: 'image', per: 1, price: 0.00012 },
  { meter: 'image_out', unit: 'image', per: 1, price: 0.039 },
  { meter: 'audio_in', unit: 'second', per: 1, price: 0.00007 },
  { meter: 'request', unit: 'request', per: 1, price: 0.005 },
  { meter: 'search', unit: 'request', per: 1000, price: 35 },
  rate('input', 2.5, LONG),
  rate('output', 15, LONG),
  rate('cache_read', 0.25, LONG),
  rate('cache_write', 3.125, LONG),
  rate('cache_write_1h', 5, LONG),
  rate('input', 0.625, { tier: 'batch' }),
  rate('output', 5, { tier: 'batch' }),
  rate('input', 0.6, { tier: 'flex' }),
  rate('output', 4.8, { tier: 'flex' }),
  rate('input', 2.2, { tier: 'priority' }),
  rate('output', 17.6, { tier: 'priority' }),
  rate('input', 4.4, { ...LONG, tier: 'priority' }),
];

/** What LiteLLM's file has no words for. */
export const UNSAID: readonly Rate[] = [
  rate('input', 3, { tier: 'fast' }),
  rate('input', 4, { region: 'eu' }),
  rate('input', 5, { context_min: 300_000, applies: 'marginal' }),
  rate('input', 6, { context_min: 400_000 }),
  rate('input', 7, { context_min: 123_456, applies: 'request' }),
  rate('search', 9, { tier: 'batch' }),
  { meter: 'video_out', unit: 'second', per: 1, price: 0.1 },
];

const FACTS = {
  release_date: '2026-11-01',
  context_length: 400_000,
  max_output_tokens: 64_000,
  open_weights: false,
  modalities: { input: ['text', 'image', 'smell'], output: ['text'] },
  capabilities: ['tools', 'structured_output', 'reasoning', 'vision', '__proto__'],
  knowledge_cutoff: '2026-06',
  retires_on: '2028-03-01',
};

export const ODD_NAME = 'He said "1,5",\r\nor =2';

export async function publishOffers(store: TemporaryStore): Promise<void> {
  const model = (id: string, more: object = {}) => ({ id, name: id, source: 'litellm', ...FACTS, ...more });
  const price = (model_id: string, provider: string, rates: readonly Rate[] | null, more: object = {}) => {
    const perMillion = (meter: string) =>
      rates?.find((one) => one.meter === meter && one.unit === 'token' && one.when === undefined)?.price ?? null;
    const prices = { input_per_million: perMillion('input'), output_per_million: perMillion('output') };
    return { model_id, provider, source: 'closed', ...prices, rates, ...more };
  };
  const cheap = [rate('input', 1), rate('output', 2)];
  await store.publish(
    OFFERS_DAY,
    {
      models: [
        ...[
          'every',
          'unsaid',
          'aliased',
          'closed:named',
          'litellm:azure/own',
          'litellm:openai-own',
          'openai-own',
          'constructor',
        ].map((id) => model(id)),
        model('of-closed', { source: 'closed' }),
        model('odd', { name: ODD_NAME, organization: 'Acme, Inc.' }),
        model('bare', {
          release_date: null,
          modalities: null,
          capabilities: null,
          open_weights: null,
          retires_on: null,
        }),
        model('closed:embed', { capabilities: [] }),
      ],
      pricing: [
        price('every', 'openai', EVERY_RATE, { source: 'litellm' }),
        price('every', 'google', EVERY_RATE),
        price('every', 'anthropic', EVERY_RATE),
        price('unsaid', 'mistral', [...cheap, ...UNSAID]),
        price('aliased', 'openrouter', cheap),
        price('closed:named', 'groq', cheap),
        price('litellm:azure/own', 'azure', cheap, { source: 'litellm' }),
        price('litellm:openai-own', 'openai', [rate('input', 5), rate('output', 6)], { source: 'litellm' }),
        price('openai-own', 'openai', cheap),
        price('constructor', 'constructor', cheap),
        price('of-closed', 'mistral', cheap, { source: 'litellm' }),
        price('odd', 'deepseek', cheap, { source: 'litellm' }),
        price('odd', 'yuan', cheap, { currency: 'CNY' }),
        price('bare', 'mistral', null, { input_per_million: 0.5, output_per_million: 1.5, source: null }),
        price('closed:embed', 'mistral', [rate('input', 0.1)]),
        price('every', 'nothing', [{ meter: 'request', unit: 'request', per: 1, price: 1 }]),
      ],
    },
    {
      settings: { upstreams: UPSTREAMS, aliases: 'aliases.csv' },
      aliases: 'upstream,id,model_id\nclosed,maker/aliased,aliased\nlitellm,openrouter/other/aliased,aliased\n',
    },
  );
}
