/** A line per rate, as CSV (specification "Exports"). */
import { csvCell, csvLine } from '../../../runtime/csv.ts';
import type { Rate } from '../../../schemas/rates.ts';
import type { Offer } from './offer.ts';

const COLUMNS: Readonly<Record<string, (offer: Offer, rate: Rate) => Parameters<typeof csvCell>[0]>> = {
  model_id: ({ model }) => model.id,
  model_name: ({ model }) => model.name,
  organization: ({ model }) => model.organization,
  provider: ({ price }) => price.provider,
  meter: (_, rate) => rate.meter,
  unit: (_, rate) => rate.unit,
  per: (_, rate) => rate.per,
  price: (_, rate) => rate.price,
  currency: ({ price }) => price.currency,
  tier: (_, { when }) => when?.tier,
  context_min: (_, { when }) => when?.context_min,
  applies: (_, { when }) => when?.applies,
  region: (_, { when }) => when?.region,
  source: ({ price }) => price.source,
  updated_at: ({ price }) => price.updated_at,
};

/** In the order of the offers and of their rates. */
export function* pricesCsv(offers: readonly Offer[]): Generator<string, void> {
  yield csvLine(Object.keys(COLUMNS));
  const columns = Object.values(COLUMNS);
  for (const offer of offers)
    for (const rate of offer.rates) yield csvLine(columns.map((read) => csvCell(read(offer, rate))));
}
