import type { Day } from '../../runtime/day.ts';
import { METERS, type Meter } from '../../schemas/rates.ts';
import type { DayRows } from '../support/pipeline/write-day.ts';
import type { Chooser } from '../support/random.ts';

/** Of several scripts, beginning alike, and of another order in UTF-16 than in UTF-8. */
const MODELS = ['a', 'A', 'a/b', 'aa', 'b', 'é', '中文', '\uff5e', '\u{1f600}', 'x'.repeat(200)];
export const PROVIDERS = ['p1', 'P1', 'é', '\u{1f600}'];
/** Per million tokens: few, so that many are equal, and some whose share of one token has binary noise. */
const PRICES = [0, 0.65, 0.99, 1, 1.3, 2.5, 3];
const UNITS = ['image', 'second', 'page'];

/** A price as its source gives it, and what a reader takes from that. */
export interface PricedRow {
  readonly row: Readonly<Record<string, unknown>> & { readonly model_id: string; readonly provider: string };
  /** Prices without condition by meter, per million tokens or per request; null in another unit. */
  readonly prices: ReadonlyMap<Meter, number | null>;
}

/** Prices of a day with equal, missing and free rates of every meter. */
export function pricedFew(choose: Chooser, day: Day): readonly PricedRow[] {
  return MODELS.flatMap((model) =>
    PROVIDERS.filter(() => choose.chance(0.7)).map((provider) => pricedRow(choose, { model, provider, day })),
  );
}

export function dayRows(priced: readonly PricedRow[]): DayRows {
  return { models: MODELS.map((id) => ({ id, name: id })), pricing: priced.map(({ row }) => row) };
}

function pricedRow(
  choose: Chooser,
  { model, provider, day }: { readonly model: string; readonly provider: string; readonly day: Day },
): PricedRow {
  const prices = new Map<Meter, number | null>();
  const rates: object[] = [];
  for (const meter of METERS) {
    if (choose.chance(0.25)) rates.push({ ...rateIn(choose, meter), when: { tier: 'batch' } });
    if (choose.chance(0.15)) rates.push({ ...rateIn(choose, meter), when: { context_min: 200_000 } });
    if (choose.chance(0.5)) {
      const price = choose.pick(PRICES);
      rates.push(rateAt(choose, meter, price));
      prices.set(meter, price);
    }
    if (choose.chance(0.15)) {
      rates.push({ meter, unit: choose.pick(UNITS), per: 1, price: choose.pick(PRICES) });
      if (!prices.has(meter)) prices.set(meter, null);
    }
  }
  const [input, output] = [prices.get('input') ?? null, prices.get('output') ?? null];
  const row = {
    model_id: model,
    provider,
    input_per_million: input,
    output_per_million: output,
    currency: choose.pick(['USD', 'USD', 'EUR']),
    updated_at: `${choose.pick([day, '2026-01-01'])}T${choose.pick(['00:00:00Z', '00:00:00.250Z', '20:55:45Z'])}`,
  };
  const hasRates = choose.chance(0.8);
  return hasRates ? { row: { ...row, rates }, prices } : { row, prices: plainPrices(row) };
}

/** Of a record without rates, as before version 1.2. */
export function plainPrices(row: Readonly<Record<string, unknown>>): PricedRow['prices'] {
  const [input, output] = [row['input_per_million'], row['output_per_million']];
  return new Map<Meter, number>([
    ...(typeof input === 'number' ? [['input', input] as const] : []),
    ...(typeof output === 'number' ? [['output', output] as const] : []),
  ]);
}

function rateIn(choose: Chooser, meter: Meter): object {
  return rateAt(choose, meter, choose.pick(PRICES));
}

/** A rate at a price per million tokens, or per request. */
function rateAt(choose: Chooser, meter: Meter, price: number): object {
  if (meter === 'request' || meter === 'search') return { meter, unit: 'request', per: 1, price };
  const per = choose.pick([1, 1000, 1_000_000]);
  return { meter, unit: 'token', per, price: per === 1_000_000 ? price : (price / 1_000_000) * per };
}
