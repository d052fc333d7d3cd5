import { expect, test } from 'vitest';
import { modelsDevJson } from './models-dev.ts';
import type { Offer } from './offer.ts';

const UPDATED = { updated_at: '2026-07-01T00:00:00Z' };
const MODEL: Offer['model'] = {
  ...{ id: 'a', name: 'A', organization: null, inference: null, ...UPDATED },
  ...{ release_date: '2026-06-01', context_length: 1000, max_output_tokens: 100, open_weights: true },
  ...{ modalities: { input: ['text'], output: ['text'] }, capabilities: [] },
};
const PRICE: Offer['price'] = {
  ...{
    model_id: 'a',
    provider: 'p',
    input_per_million: 1,
    output_per_million: 2,
    currency: 'USD',
    effective_from: null,
  },
  ...UPDATED,
};

function exported(model: Partial<Offer['model']>) {
  return JSON.parse([...modelsDevJson([{ model: { ...MODEL, ...model }, price: PRICE, rates: [] }])].join(''));
}

test('a model of which all is known is there', () => {
  expect(exported({})['p'].models.a).toMatchObject({ release_date: '2026-06-01', last_updated: '2026-07-01' });
});

test.each([
  'release_date',
  'context_length',
  'max_output_tokens',
  'open_weights',
  'modalities',
  'capabilities',
] as const)('a model without %s is left out', (fact) => {
  expect(exported({ [fact]: null })).toEqual({});
});

test('a retired model is deprecated, as models.dev calls it; a year is no knowledge cutoff there', () => {
  const { a } = exported({ status: 'retired', knowledge_cutoff: '2025' })['p'].models;
  expect([a.status, a.knowledge]).toEqual(['deprecated', undefined]);
});
