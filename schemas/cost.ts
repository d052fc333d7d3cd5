/**
 * The cost of a request by the rates of a price (specification "Cost"). Pure: the site computes with it too.
 *
 * Nothing is guessed: a meter whose rate isn't known is a gap, never another meter's rate. What a rate leaves open is in `assumed`.
 */
import type { RecordOf } from './datasets.ts';
import type { Meter, Rate } from './rates.ts';

export interface CostRequest {
  /** Each at least 0; 0 needs no rate. Those of the context together are at most {@link CONTEXT_MAX}. */
  readonly quantities: Readonly<Partial<Record<Meter, number>>>;
  /** Which unit a meter is counted in; default: the only one of its rates. */
  readonly units?: Readonly<Partial<Record<Meter, string>>> | undefined;
  readonly tier?: string | undefined;
  readonly region?: string | undefined;
}

/**
 * `applies`: the rate doesn't say whether it is for all tokens of the request; taken as so. `order`: tokens are split by a marginal rate
 * with the cached ones first. `context`: a rate for more context may apply, since the request's is not counted in tokens alone.
 * `conditions`: the price has no rates, so its tiers and thresholds are unknown.
 */
export const ASSUMPTIONS = ['applies', 'order', 'context', 'conditions'] as const;
export type Assumption = (typeof ASSUMPTIONS)[number];

/** One rate of a meter; a marginal one makes several parts. */
export interface CostPart {
  readonly meter: Meter;
  readonly quantity: number;
  readonly rate: Rate;
  readonly cost: number;
  readonly assumed: readonly Assumption[];
}

/** Why a meter has no cost: what the price lacks, as the end of a sentence that begins with its provider. */
export interface CostGap {
  readonly meter: Meter;
  readonly reason: string;
}

/** Never empty gaps. */
export type Cost =
  | { readonly cost: number; readonly parts: readonly CostPart[] }
  | { readonly gaps: readonly CostGap[] };

/**
 * The meters whose tokens are the context that `context_min` is compared with, in their order in the prompt: what is cached is its
 * beginning.
 */
export const CONTEXT_METERS: readonly Meter[] = [
  'cache_read',
  'cache_write_1h',
  'cache_write',
  'input',
  'image_in',
  'audio_in',
];

/** Larger sums of tokens are not exact. */
export const CONTEXT_MAX = Number.MAX_SAFE_INTEGER;

/** Decimal places of every cost. */
const PLACES = 12;

/** Costs are rounded half up to twelve decimal places, without binary fractions; their sum is exact, as far as a number holds. */
export function costOf(rates: readonly Rate[], request: CostRequest): Cost {
  const counted = countMeters(rates, request);
  const context = contextOf(counted);
  const found = counted.map((meter) => partsOf(meter, { all: counted, context, request }));
  const gaps = found.flatMap((each) => ('reason' in each ? [each] : []));
  if (gaps.length > 0) return { gaps };
  const parts = found.flatMap((each) => ('parts' in each ? each.parts : []));
  const units = parts.map(({ quantity, rate }) => costInUnits(quantity, rate));
  const cost = numberFromUnits(units.reduce((sum, each) => sum + each, 0n));
  if (!Number.isFinite(cost))
    return { gaps: counted.map(({ meter }) => ({ meter, reason: 'costs more than a number can hold' })) };
  return {
    cost,
    parts: parts.map(({ assumed, ...part }, at) => ({ ...part, cost: numberFromUnits(units[at] ?? 0n), assumed })),
  };
}

type Price = Pick<RecordOf<'pricing'>, 'input_per_million' | 'output_per_million'> & {
  readonly rates?: RecordOf<'pricing'>['rates'] | undefined;
};

/** As {@link costOf}; a price without rates, such as one before version 1.2 of the records, has input and output only. */
export function costOfPrice(price: Price, request: CostRequest): Cost {
  const cost = costOf(ratesOf(price), request);
  if ((price.rates ?? null) !== null || 'gaps' in cost) return cost;
  return { ...cost, parts: cost.parts.map((part) => ({ ...part, assumed: [...part.assumed, 'conditions'] })) };
}

export function ratesOf(price: Price): readonly Rate[] {
  return price.rates ?? [...millionRate('input', price), ...millionRate('output', price)];
}

function millionRate(meter: 'input' | 'output', price: Price): readonly Rate[] {
  const perMillion = price[`${meter}_per_million`];
  return perMillion === null ? [] : [{ meter, unit: 'token', per: 1_000_000, price: perMillion }];
}

/** A meter of the request with its rates in one unit. */
interface Counted {
  readonly meter: Meter;
  readonly quantity: number;
  /** Undefined: no or several units, or a part of a token. */
  readonly unit: string | undefined;
  readonly rates: readonly Rate[];
  readonly reason: string;
}

function countMeters(rates: readonly Rate[], { quantities, units = {} }: CostRequest): readonly Counted[] {
  const given = Object.entries(quantities) as readonly [Meter, number][]; // Keys of the type.
  return given
    .filter(([, quantity]) => quantity > 0)
    .map(([meter, quantity]) => {
      const wanted = units[meter];
      const ofMeter = rates.filter((rate) => rate.meter === meter && (wanted === undefined || rate.unit === wanted));
      const found = [...new Set(ofMeter.map((rate) => rate.unit))];
      const [unit] = found;
      const counted = { meter, quantity, rates: ofMeter, unit: undefined };
      if (unit === undefined) return { ...counted, reason: noRateText(meter, wanted) };
      if (found.length > 1) {
        const names = found.join(', ');
        return { ...counted, reason: `has rates for ${meter} in several units (${names}): name one with "units"` };
      }
      if (unit !== 'second' && !Number.isInteger(quantity))
        return { ...counted, reason: `counts ${meter} in whole units (${unit})` };
      return { ...counted, unit, reason: '' };
    });
}

function noRateText(meter: Meter, unit: string | undefined): string {
  return `has no rate for ${meter}${unit === undefined ? '' : ` in the unit ${unit}`}`;
}

interface Asked {
  /** All meters of the request. */
  readonly all: readonly Counted[];
  readonly context: Context;
  readonly request: CostRequest;
}

type Part = Omit<CostPart, 'cost'>;

function partsOf(counted: Counted, asked: Asked): CostGap | { readonly parts: readonly Part[] } {
  const { meter, unit } = counted;
  const levels = unit === undefined ? counted.reason : chooseLevels(counted, asked);
  if (typeof levels === 'string') return { meter, reason: levels };
  const isSplit = levels.length > 1 && isContext(counted);
  const shared: readonly Assumption[] = [
    ...(isSplit && asked.context.meters > 1 ? (['order'] as const) : []),
    ...(isContextUncertain(counted, asked) ? (['context'] as const) : []),
  ];
  const parts = isSplit
    ? splitByLevels(counted, levels, asked)
    : [{ quantity: counted.quantity, rate: levels[0].rate }];
  return {
    parts: parts.map(({ quantity, rate }) => {
      const assumed = [...(saysHowItApplies(rate) ? [] : (['applies'] as const)), ...shared];
      return { meter, quantity, rate, assumed };
    }),
  };
}

/** By where its tokens are in the context. They are whole numbers, so that the differences are exact. */
function splitByLevels(counted: Counted, levels: Levels, { all }: Asked): readonly Pick<Part, 'quantity' | 'rate'>[] {
  const at = CONTEXT_METERS.indexOf(counted.meter);
  const before = all.filter((other) => isContext(other) && CONTEXT_METERS.indexOf(other.meter) < at);
  const from = before.reduce((sum, { quantity }) => sum + quantity, 0);
  const parts = levels.toReversed().map(({ rate, from: start, to: end }) => {
    return { quantity: Math.min(from + counted.quantity, end) - Math.max(from, start), rate };
  });
  return parts.filter(({ quantity }) => quantity > 0);
}

/**
 * The rates that the tokens of a meter have, or what is missing. They name exactly the tier and region of the request; a rate that names
 * less of them but applies to a larger context would make theirs doubtful.
 */
function chooseLevels({ meter, rates }: Counted, { context, request }: Asked): Levels | string {
  const what = `${meter}${conditionText(request)}`;
  const exact = rates.filter((rate) => isExactly(rate, request));
  if (exact.length === 0) return noConditionText(meter, rates, request);
  const levels = levelsOf(exact, context.tokens);
  const [highest, ...lower] = levels;
  const from = levels.at(-1)?.from ?? Math.min(...exact.map(thresholdOf));
  if (highest === undefined || from > 0) return `has no rate for ${what} up to ${from} tokens of context`;
  const alike = ({ rate }: Level) => exact.filter((other) => thresholdOf(other) === thresholdOf(rate));
  if (levels.some((level) => alike(level).length > 1)) return `has two rates for ${what} under one condition`;
  const higher = rates
    .filter((rate) => isPartly(rate, request))
    .map(thresholdOf)
    .filter((threshold) => threshold > thresholdOf(highest.rate) && threshold < context.tokens);
  return higher.length === 0
    ? [highest, ...lower]
    : `has no rate for ${what} above ${Math.min(...higher)} tokens of context`;
}

/** Whether what isn't counted in tokens may lift the context above another threshold. */
function isContextUncertain({ rates }: Counted, { context, request }: Asked): boolean {
  const possible = rates.filter((rate) => isExactly(rate, request) || isPartly(rate, request));
  return !context.isWhole && possible.some((rate) => thresholdOf(rate) > 0 && thresholdOf(rate) >= context.tokens);
}

function saysHowItApplies({ when = {} }: Rate): boolean {
  return when.context_min === undefined || when.applies === 'request' || when.applies === 'marginal';
}

interface Level {
  readonly rate: Rate;
  /** Tokens of the context that it is for. */
  readonly from: number;
  readonly to: number;
}

/** Output follows the context, so all of it has the rate of the first. */
type Levels = readonly [highest: Level, ...lower: Level[]];

/** Largest threshold first: a marginal rate is for the tokens above it, any other one for all below the one before. */
function levelsOf(rates: readonly Rate[], context: number): readonly Level[] {
  const holding = rates.filter((rate) => thresholdOf(rate) === 0 || thresholdOf(rate) < context);
  holding.sort((a, b) => thresholdOf(b) - thresholdOf(a));
  const levels: Level[] = [];
  for (const rate of holding) {
    const to = levels.at(-1)?.from ?? Number.POSITIVE_INFINITY;
    if (to === 0) break;
    levels.push({ rate, from: rate.when?.applies === 'marginal' ? thresholdOf(rate) : 0, to });
  }
  return levels;
}

/** 0: none. */
function thresholdOf({ when }: Rate): number {
  return when?.context_min ?? 0;
}

function isExactly({ when = {} }: Rate, { tier, region }: CostRequest): boolean {
  return when.tier === tier && when.region === region;
}

/** Whether it applies, but to less than what is asked for. */
function isPartly(rate: Rate, request: CostRequest): boolean {
  const { tier = request.tier, region = request.region } = rate.when ?? {};
  return !isExactly(rate, request) && tier === request.tier && region === request.region;
}

function isContext({ meter, unit }: Counted): boolean {
  return unit === 'token' && CONTEXT_METERS.includes(meter);
}

interface Context {
  readonly tokens: number;
  /** How many meters are part of it. */
  readonly meters: number;
  /** False: some of it isn't counted in tokens. */
  readonly isWhole: boolean;
}

function contextOf(counted: readonly Counted[]): Context {
  const all = counted.filter(({ meter }) => CONTEXT_METERS.includes(meter));
  const inTokens = all.filter(isContext);
  return {
    tokens: inTokens.reduce((sum, { quantity }) => sum + quantity, 0),
    meters: inTokens.length,
    isWhole: all.length === inTokens.length,
  };
}

/** A condition in words, such as `tier batch`, `above 200000 tokens`, `marginal`, `region eu`. */
export function conditionTexts({
  tier,
  context_min: above,
  applies,
  region,
}: Rate['when'] & object): readonly string[] {
  return [
    ...(tier === undefined ? [] : [`tier ${tier}`]),
    ...(above === undefined ? [] : [`above ${above} tokens`]),
    ...(applies === undefined ? [] : [applies]),
    ...(region === undefined ? [] : [`region ${region}`]),
  ];
}

/** ` with tier batch and region eu`; empty without. */
function conditionText({ tier, region }: CostRequest): string {
  const names = conditionTexts({ tier, region });
  return names.length === 0 ? '' : ` with ${names.join(' and ')}`;
}

function noConditionText(meter: Meter, rates: readonly Rate[], request: CostRequest): string {
  const condition = conditionText(request);
  if (condition !== '') return `has no rate for ${meter}${condition}`;
  const known = [...new Set(rates.map(({ when = {} }) => conditionText({ quantities: {}, ...when })))];
  return `has rates for ${meter} only${known.join(',')}`;
}

/** A number as `digits × 10^exponent`. */
function decimalOf(value: number): { readonly digits: bigint; readonly exponent: number } {
  const [, whole = '0', fraction = '', exponent = '0'] = /^(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(value)) ?? [];
  return { digits: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length };
}

/** In units of the last decimal place. */
function costInUnits(quantity: number, { price, per }: Rate): bigint {
  const [one, other] = [decimalOf(price), decimalOf(quantity)];
  const exponent = one.exponent + other.exponent + PLACES;
  const product = one.digits * other.digits * 10n ** BigInt(Math.max(exponent, 0));
  const divisor = BigInt(per) * 10n ** BigInt(Math.max(-exponent, 0));
  return (2n * product + divisor) / (2n * divisor);
}

function numberFromUnits(units: bigint): number {
  return Number(`${units}e-${PLACES}`);
}
