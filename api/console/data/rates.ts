/** Rates as text for people. */
import { ratesOf } from '../../../schemas/cost.ts';
import { comparedPrice, comparedUnitOf, type Meter, type Rate } from '../../../schemas/rates.ts';
import { formatNumber, formatPrice } from '../../charts/format.ts';

/** `Cache read`. */
export function meterLabel(name: string): string {
  const text = name.replaceAll('_', ' ');
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

export interface RatesShown {
  /** By which the API compares prices of the meter; undefined if there is none in its unit. */
  readonly compared: Rate | undefined;
  /** The others without condition. */
  readonly others: readonly Rate[];
  readonly conditional: readonly Rate[];
}

export function ratesShownFor(price: Parameters<typeof ratesOf>[0], meter: Meter): RatesShown {
  const rates = ratesOf(price);
  const plain = rates.filter(({ when }) => when === undefined);
  const compared = plain.find((rate) => rate.meter === meter && rate.unit === comparedUnitOf(meter));
  return {
    compared,
    others: plain.filter((rate) => rate !== compared),
    conditional: rates.filter(({ when }) => when !== undefined),
  };
}

/** `output $4.50`, `image out $0.04 per image`: tokens are priced by the million. */
export function rateText(rate: Rate, currency: string): string {
  const { meter, unit } = rate;
  const per = unit === 'token' ? '' : ` per ${unit}`;
  return `${meter.replaceAll('_', ' ')} ${formatPrice(comparedPrice(rate), currency)}${per}`;
}

/** What a compared price is for. */
export function perText(unit: string): string {
  return unit === 'token' ? '1M tokens' : unit;
}

/** `batch, above 200,000 tokens`; empty without a condition. */
export function conditionText({ when = {} }: Rate): string {
  const { tier, context_min: above, applies, region } = when;
  const conditions = [
    tier,
    above === undefined ? undefined : `above ${formatNumber(above)} tokens${APPLIES_TEXTS[applies ?? ''] ?? ''}`,
    region === undefined ? undefined : `in ${region}`,
  ];
  return conditions.filter((condition) => condition !== undefined).join(', ');
}

/** By `applies`, whose names are open. */
const APPLIES_TEXTS: Readonly<Record<string, string>> = {
  request: ' (for the whole request)',
  marginal: ' (for those above)',
};
