/** Rates: what is charged for what, and under which condition (specification "Rates"). */
import { z } from 'zod';
import { plainNumber } from '../runtime/plain-number.ts';
import { type JsonForm, parseJson } from './json-form.ts';

/** What is counted. */
export const METERS = [
  'input',
  'output',
  'cache_read',
  'cache_write',
  'cache_write_1h',
  'reasoning',
  'image_in',
  'image_out',
  'audio_in',
  'audio_out',
  'video_out',
  'request',
  'search',
] as const;
export const RATE_UNITS = ['token', 'image', 'second', 'request', 'page'] as const;
export const TIERS = ['batch', 'flex', 'priority', 'fast'] as const;
export const APPLIES = ['request', 'marginal'] as const;

export type Meter = (typeof METERS)[number];

const ConditionSchema = z
  .strictObject({
    tier: z
      .string()
      .describe(`Tier of service: ${TIERS.join(', ')}`)
      .optional(),
    context_min: z.int().min(1).describe('The request has more input tokens than this').optional(),
    applies: z
      .string()
      .describe(
        'With context_min: request charges all tokens of the request at this rate, marginal those above; absent: unknown',
      )
      .optional(),
    region: z.string().describe('Where the request is processed, as the provider names it').optional(),
  })
  .meta({ id: 'RateCondition' });

/** Its names are open: later versions add some. */
export const RateSchema = z
  .strictObject({
    meter: z.string().describe(`What is counted: ${METERS.join(', ')}`),
    unit: z.string().describe(`Unit of the meter: ${RATE_UNITS.join(', ')}`),
    per: z.int().min(1).describe('The price is for so many units'),
    price: z.number().min(0).describe("In the price's currency; 0 is free"),
    when: ConditionSchema.optional(),
  })
  .meta({ id: 'Rate', description: 'A price of a meter; the one with `when` applies where all of it holds' });
export type Rate = z.infer<typeof RateSchema>;

/** Larger numbers are printed differently by databases. */
const PRICE_MAX = 1e12;

const KnownRatesSchema = z
  .array(
    RateSchema.extend({
      meter: oneOf(METERS, 'meter'),
      unit: oneOf(RATE_UNITS, 'unit'),
      price: RateSchema.shape.price.max(PRICE_MAX),
      when: ConditionSchema.extend({
        tier: oneOf(TIERS, 'tier').optional(),
        applies: oneOf(APPLIES, 'value of applies').optional(),
        region: z
          .string()
          .regex(/^[\w.-]{1,60}$/, 'is not the name of a region')
          .optional(),
      })
        .refine((when) => when.applies === undefined || when.context_min !== undefined, 'applies needs context_min')
        .optional(),
    }),
  )
  .max(200);

function oneOf<const Names extends readonly string[]>(names: Names, what: string) {
  const shown = (input: unknown) => (typeof input === 'string' ? JSON.stringify(input) : `a ${typeof input}`);
  return z.enum(names, {
    error: ({ input }) => (input === undefined ? 'is missing' : `${shown(input)} is not a known ${what}`),
  });
}

/** A list of rates in its one form: sorted, and each with its fields in order. An empty list is null. */
export const RATES_FORM: JsonForm<readonly Rate[]> = {
  label: 'a list of rates',
  schema: z.array(RateSchema),
  parse: (text) => {
    const parsed = parseJson(text, KnownRatesSchema);
    if ('problem' in parsed) return parsed;
    const rates = parsed.value.map(canonicalRate).sort(compareRates);
    const repeated = rates.findIndex((rate, at) => at > 0 && compareRates(rates[at - 1] ?? rate, rate) === 0);
    if (repeated > 0) return { problem: `has two rates for ${rateKey(rates[repeated])}` };
    return { value: rates.length === 0 ? null : rates };
  },
};

function canonicalRate({ when, ...rate }: Rate): Rate {
  return when === undefined || Object.keys(when).length === 0 ? rate : { ...rate, when };
}

/** By meter, then condition, then unit; what has no condition comes first. */
function compareRates(a: Rate, b: Rate): number {
  const [left, right] = [orderOf(a), orderOf(b)];
  const at = left.findIndex((part, index) => part !== right[index]);
  if (at < 0) return 0;
  return (left[at] ?? '') < (right[at] ?? '') ? -1 : 1;
}

function orderOf({ meter, unit, when = {} }: Rate): readonly (string | number)[] {
  return [meter, when.tier ?? '', when.context_min ?? 0, when.applies ?? '', when.region ?? '', unit];
}

/** Meter, unit and condition: a record has one rate for each. */
export function rateKey(rate: Rate | undefined): string {
  return JSON.stringify({ meter: rate?.meter, unit: rate?.unit, when: rate?.when });
}

/** Price of a million tokens without condition; undefined if the rates have none. */
export function tokenPrice(rates: readonly Rate[], meter: Meter): number | undefined {
  const rate = rates.find((candidate) => candidate.meter === meter && candidate.unit === 'token' && !candidate.when);
  return rate && millionPrice(rate);
}

/** Searches are priced by the request. All other meters are compared per million tokens, as most of their rates are. */
const COMPARED_UNITS: Readonly<Partial<Record<Meter, string>>> = { request: 'request', search: 'request' };

export function comparedUnitOf(meter: Meter): string {
  return COMPARED_UNITS[meter] ?? 'token';
}

const MILLION = 1_000_000;

/** Of a record; `rates` is null in records before 1.2. */
interface Priced {
  readonly input: number | null;
  readonly output: number | null;
  readonly rates: readonly Rate[] | null;
}

/**
 * The meters that have a price without condition, and that price per million tokens, or per request for `request` and `search`; null in
 * any other unit (specification "Pricing").
 */
export function pricesByMeter({ input, output, rates }: Priced): ReadonlyMap<Meter, number | null> {
  const prices = new Map<Meter, number | null>();
  for (const meter of METERS) {
    const plain = (rates ?? []).filter((rate) => rate.meter === meter && rate.when === undefined);
    const compared = plain.find(({ unit }) => unit === comparedUnitOf(meter));
    if (plain.length > 0) prices.set(meter, compared === undefined ? null : comparedPrice(compared));
  }
  // Which the rates repeat, maybe with other last digits.
  if (input !== null) prices.set('input', input);
  if (output !== null) prices.set('output', output);
  return prices;
}

/** Per million tokens, or per one of another unit; without the binary noise of a division. */
export function comparedPrice({ price, per, unit }: Rate): number {
  const units = unit === 'token' ? MILLION : 1;
  return per === units ? price : plainNumber((price / per) * units);
}

/** Settings of a source. */
export interface PriceLimits {
  /** Per million tokens. */
  readonly price_range: readonly [low: number, high: number];
  readonly max_price_ratio: number;
}

/**
 * The rule that changed rates break and all of these rates, as text (specification "Suspect prices"); undefined if none does.
 * Time admits jumps, so a rate out of range comes first. Ranges hold for tokens only. Input and output without condition are left to
 * the prices that repeat them.
 */
export function findSuspectRate(
  rates: readonly Rate[],
  previous: readonly Rate[],
  { price_range: [low, high], max_price_ratio: ratioMax }: PriceLimits,
): string | undefined {
  const before = new Map(previous.map((rate) => [rateKey(rate), millionPrice(rate)]));
  const isPlausible = ({ unit }: Rate, price: number) => {
    return price === 0 || unit !== 'token' || (price >= low && price <= high);
  };
  const isJump = (rate: Rate) => {
    const [price, old] = [millionPrice(rate), before.get(rateKey(rate))];
    if (old === undefined || old === 0 || price === 0 || !isPlausible(rate, old)) return false;
    return Math.max(price / old, old / price) > ratioMax;
  };
  const changed = rates.filter((rate) => !isPlainPrice(rate) && millionPrice(rate) !== before.get(rateKey(rate)));
  const outside = changed.filter((rate) => !isPlausible(rate, millionPrice(rate)));
  if (outside.length > 0) return `price_range ${outside.map((rate) => JSON.stringify(rate)).join(', ')}`;
  const jumps = changed.filter(isJump);
  return jumps.length === 0 ? undefined : `max_price_ratio ${jumps.map((rate) => JSON.stringify(rate)).join(', ')}`;
}

/** Of any unit. */
function millionPrice({ price, per }: Rate): number {
  return price * (MILLION / per);
}

/** Whether `input_per_million` or `output_per_million` repeats it. */
export function isPlainPrice({ meter, unit, when }: Rate): boolean {
  return (meter === 'input' || meter === 'output') && unit === 'token' && when === undefined;
}
