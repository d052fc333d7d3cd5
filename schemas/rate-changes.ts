import { plainNumber } from '../runtime/plain-number.ts';
import { comparedPrice, isPlainPrice, METERS, type Rate, rateKey } from './rates.ts';

/** A price that two records of a model and provider have. `rates` is null in records before 1.2. */
export interface PricedRecord {
  readonly input: number | null;
  readonly output: number | null;
  /** Null if the record's version does not have it. */
  readonly currency: string | null;
  readonly rates: readonly Rate[] | null;
}

/** A rate with another price, in `per` units: a million tokens, or one of another unit. */
export interface RateChange extends Omit<Rate, 'price'> {
  /** Null where it is absent. */
  readonly from: number | null;
  readonly to: number | null;
  /** Of the old price, negative for a cut; null from 0, from or to an absent price, and for another currency. */
  readonly change_percent: number | null;
}

/**
 * The rates whose price differs, by meter in the order of `METERS`. An absent record has no rates. With another currency all rates
 * differ.
 */
export function rateChanges(before: PricedRecord | null, after: PricedRecord | null): readonly RateChange[] {
  const [old, now] = [ratesOf(before), ratesOf(after)];
  const isSameCurrency = before === null || after === null || before.currency === after.currency;
  const rates = new Map([...old, ...now]);
  const changes = [...rates].flatMap(([key, { price: _, ...rate }]) => {
    const [from, to] = [old.get(key)?.price ?? null, now.get(key)?.price ?? null];
    if (from === to && isSameCurrency) return [];
    return [{ ...rate, from, to, change_percent: isSameCurrency ? changePercent(from, to) : null }];
  });
  const meters: readonly string[] = METERS;
  return changes.sort((a, b) => meters.indexOf(a.meter) - meters.indexOf(b.meter));
}

/** To twelve digits, so that 3 to 3.3 is 10. */
function changePercent(from: number | null, to: number | null): number | null {
  return from === null || to === null || from === 0 ? null : plainNumber(((to - from) / from) * 100);
}

const TOKENS = { unit: 'token', per: 1_000_000 } as const;

/** Compared, so that a price per thousand equals the same per million. */
function ratesOf(record: PricedRecord | null): ReadonlyMap<string, Rate> {
  if (record === null) return new Map();
  const { input, output, rates } = record;
  // Which the rates repeat, maybe with other last digits.
  const plain: readonly Rate[] = [
    ...(input === null ? [] : [{ meter: 'input', ...TOKENS, price: input }]),
    ...(output === null ? [] : [{ meter: 'output', ...TOKENS, price: output }]),
  ];
  const others = (rates ?? []).filter((rate) => !isPlainPrice(rate)).map(comparedRate);
  return new Map([...plain, ...others].map((rate) => [rateKey(rate), rate]));
}

function comparedRate({ meter, unit, when, ...rate }: Rate): Rate {
  const per = unit === TOKENS.unit ? TOKENS.per : 1;
  return { meter, unit, per, price: comparedPrice({ meter, unit, ...rate }), ...(when === undefined ? {} : { when }) };
}
