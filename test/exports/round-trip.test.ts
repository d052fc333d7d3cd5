/** An export is read back by the recipe that reads the real file: what it says of a price is what the record says (decision 0115). */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { litellmJson } from '../../api/data/exports/litellm.ts';
import type { Offer } from '../../api/data/exports/offer.ts';
import { METERS, RATES_FORM, type Rate, TIERS } from '../../schemas/rates.ts';
import { useRecipe } from '../support/sources/use-recipe.ts';

const DAY = '2026-07-05';
const MODELS = 150;

/** A price as upstreams write them: some digits, at most 1,000 dollars a million. */
const price = fc.tuple(fc.integer({ min: 0, max: 99_999 }), fc.integer({ min: 2, max: 4 })).map(([digits, places]) => {
  return Number(`${digits}e-${places}`);
});
const threshold = fc.constantFrom(128_000, 200_000, 272_000, 272_500);
const anyTier = fc.constantFrom(...TIERS);
const when = fc.oneof(
  fc.record({ tier: anyTier }),
  fc.record({ context_min: threshold }),
  fc.record({ context_min: threshold, tier: anyTier }),
  fc.constant({ region: 'eu' }),
);
const applies = fc.constantFrom('request', 'request', 'request', 'marginal', undefined);
const UNITS: Readonly<Record<string, readonly string[]>> = {
  image_in: ['token', 'image'],
  image_out: ['token', 'image'],
  audio_in: ['token', 'second'],
  video_out: ['second'],
  request: ['request'],
  search: ['request'],
};

const rate = fc
  .tuple(fc.constantFrom(...METERS), fc.nat(1), price, fc.option(when), applies)
  .map(([meter, at, amount, condition, howItApplies]): Rate => {
    const units = UNITS[meter] ?? ['token'];
    const unit = units[at % units.length] ?? 'token';
    const isLong = condition !== null && 'context_min' in condition && howItApplies !== undefined;
    const said = { ...condition, ...(isLong ? { applies: howItApplies } : {}) };
    const isPlain = Object.keys(said).length === 0;
    return { meter, unit, per: unit === 'token' ? 1_000_000 : 1, price: amount, ...(isPlain ? {} : { when: said }) };
  });

const rates = fc
  .tuple(
    price,
    fc.uniqueArray(rate, {
      minLength: 5,
      maxLength: 12,
      selector: ({ meter, unit, when: of }) => JSON.stringify([meter, unit, of]),
    }),
  )
  .map(([input, others]) => {
    const base = { meter: 'input', unit: 'token', per: 1_000_000, price: input || 0.01 };
    const all = [base, ...others.filter(({ meter, when: of }) => meter !== 'input' || of !== undefined)];
    const parsed = RATES_FORM.parse(JSON.stringify(all));
    if ('problem' in parsed) throw new Error(parsed.problem);
    return parsed.value ?? [];
  });

/** What the file has words for. */
function isSayable({ meter, unit, when: { tier, context_min = 0, applies: how, region } = {} }: Rate): boolean {
  if (meter === 'video_out' || region !== undefined || tier === 'fast') return false;
  if (meter === 'search') return unit === 'request' && tier === undefined && context_min === 0;
  return context_min === 0 || (context_min % 1000 === 0 && how === 'request');
}

test('of any rates those that the file has words for come back, and no others', { timeout: 60_000 }, async () => {
  const offers = fc.sample(rates, { numRuns: MODELS, seed: 115 }).map((of, index): Offer => {
    const id = `m${index}`;
    const common = { source: 'litellm', updated_at: `${DAY}T00:00:00Z` };
    const plain = (meter: string) => of.find((one) => one.meter === meter && one.when === undefined)?.price ?? null;
    const facts = { organization: null, release_date: null, context_length: 1000 + index, inference: null };
    return {
      model: { id, name: id, ...facts, max_output_tokens: 10 + index, ...common },
      price: {
        model_id: id,
        provider: 'openai',
        input_per_million: plain('input'),
        output_per_million: plain('output'),
        currency: 'USD',
        effective_from: null,
        ...common,
      },
      rates: of,
    };
  });
  const exported = JSON.parse([...litellmJson(offers, new Map())].join(''));
  // The record has no mode, and the recipe reads only some.
  const file = Object.fromEntries(
    Object.entries(exported).map(([key, entry]) => [key, { ...Object(entry), mode: 'chat' }]),
  );
  const recipe = await useRecipe('litellm');
  await recipe.publish(DAY, { 'litellm.json': file });
  const said = offers.map(({ model, price: { provider }, rates: of }) => {
    return { model_id: model.id, provider, rates: of.filter(isSayable) };
  });
  const found = await recipe.records('pricing', ['model_id', 'provider', 'rates']);
  const sorted = (rows: readonly Record<string, unknown>[]) =>
    rows.toSorted((a, b) => (String(a['model_id']) < String(b['model_id']) ? -1 : 1));
  expect(sorted(found)).toEqual(sorted(said));
  expect(said.flatMap(({ rates: of }) => of.filter((one) => one.when !== undefined)).length).toBeGreaterThan(100);
  const limits = await recipe.table('models', ['id', 'context_length', 'max_output_tokens']);
  expect(limits).toContainEqual(['m7', 1007, 17]);
});
