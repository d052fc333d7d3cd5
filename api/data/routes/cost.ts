import { z } from 'zod';
import type { Day } from '../../../runtime/day.ts';
import {
  ASSUMPTIONS,
  CONTEXT_MAX,
  CONTEXT_METERS,
  type CostGap,
  type CostPart,
  type CostRequest,
  costOfPrice,
  ratesOf,
} from '../../../schemas/cost.ts';
import { METERS, type Meter, RATE_UNITS, RateSchema, TIERS } from '../../../schemas/rates.ts';
import { planWindowStart } from '../../accounts/organizations/plans.ts';
import { queryProblem, RequestInvalid, type RequestProblem } from '../../server/errors/http-error.ts';
import type { CheckedQuery } from '../../server/parse-request.ts';
import type { View } from '../../view/view.ts';
import { assertKnown } from '../queries/conditions.ts';
import { type PriceInForce, readPrices, readUncertainProviders } from '../queries/prices-in-force.ts';
import { dataRoute, type RequestContext } from '../responses/data-route.ts';
import { all, backfillOf, captureAround, contentOf, sinceDay, value } from '../responses/dependencies.ts';
import { day, decimal, id, idOf, namesByKey, oneOf, plainInteger } from '../responses/parameters.ts';
import { PointSourceSchema, windowExceeded } from './history-range.ts';

function count(description: string, example: number) {
  return plainInteger({ min: 0, description, example });
}

/** Seconds have fractions. */
function amount(description: string) {
  return decimal({ min: 0, max: Number.MAX_SAFE_INTEGER, description, example: 12.5 }).optional();
}

const QUANTITIES = {
  input: count('Input tokens that are neither read from the cache nor written to it', 1200),
  output: count('Output tokens, without those counted as `reasoning`', 300).optional(),
  cache_read: count('Input tokens read from the cache', 5000).optional(),
  cache_write: count('Input tokens written to the cache', 1000).optional(),
  cache_write_1h: count('Input tokens written to the cache for an hour', 1000).optional(),
  reasoning: count('Reasoning tokens, where they have a rate of their own', 800).optional(),
  image_in: count('Tokens or number of images in the input', 2).optional(),
  image_out: count('Tokens or number of images in the output', 1).optional(),
  audio_in: amount('Tokens or seconds of audio in the input'),
  audio_out: amount('Tokens or seconds of audio in the output'),
  video_out: amount('Tokens or seconds of video in the output'),
  request: count('Requests, where each is charged', 1).optional(),
  search: count('Web searches', 1).optional(),
} satisfies Readonly<Record<Meter, z.ZodType>>;

const CostQuerySchema = z.object({
  model: idOf('priced model', 'The model', 'gpt-5.4-mini'),
  provider: idOf(
    'provider',
    'The provider; default: the cheapest that has a rate for every meter of the request',
    'openai',
  ).optional(),
  on: day({ description: 'Day of the price; default: today', example: '2026-06-29' }).optional(),
  ...QUANTITIES,
  units: namesByKey(METERS, RATE_UNITS, {
    description: 'Units of meters that have rates in several, as `METER:UNIT`, comma-separated',
    example: 'image_out:image',
  }).optional(),
  tier: oneOf(TIERS, { description: 'Tier of service; default: the standard one', example: 'batch' }).optional(),
  region: id('Where the request is processed, as the provider names it', 'eu').optional(),
});
type CostQuery = z.infer<typeof CostQuerySchema>;

const CostPartSchema = z
  .object({
    meter: z.string().describe('What is counted'),
    quantity: z.number().describe('In the unit of the rate'),
    rate: RateSchema.describe('The rate, as in the price'),
    cost: z.number().describe('Quantity × price ÷ per, rounded half up to 12 decimal places'),
    assumed: z
      .array(z.string())
      .describe(`What the price leaves open and the cost takes for granted: ${ASSUMPTIONS.join(', ')}`),
  })
  .meta({ id: 'CostPart', description: 'The cost of one meter at one rate' });

const CostMissingSchema = z
  .object({
    provider: z.string().describe('A provider of the model'),
    meters: z
      .array(z.string())
      .describe('Meters of the request that it has no rate for; all if its price on the day is not known'),
  })
  .meta({ id: 'CostMissing' });

const CostSchema = z
  .object({
    model_id: z.string().describe('As requested'),
    cost: z.number().describe('The sum of the parts'),
    currency: z.string().describe('ISO 4217 code'),
    parts: z.array(CostPartSchema).describe('By meter; without meters whose quantity is 0'),
    provider: z.string().describe('As requested, or the cheapest'),
    on: z.iso.date().describe('Day of the price'),
    valid_from: z.iso
      .date()
      .nullable()
      .describe('First day of the interval of the price; null while its row is set aside'),
    source: PointSourceSchema.describe('Origin of the price'),
    missing: z.array(CostMissingSchema).describe('Providers that were not compared, by id; empty if one was requested'),
  })
  .meta({ id: 'Cost' });

interface Effective extends CostRequest {
  readonly model: string;
  readonly provider: string | undefined;
  readonly on: Day;
}

/** `GET /v1/cost` (specification "Cost"). */
export const costRoute = dataRoute({
  path: '/v1/cost',
  operationId: 'getCost',
  capability: 'pricing',
  feature: null,
  limitPerMinute: 120,
  summary: 'What a request to a model costs, today or on a past day',
  description:
    'Every meter needs a rate under the given tier and region: otherwise 422 names it. Nothing is estimated.',
  query: CostQuerySchema,
  response: CostSchema,
  example: {
    model_id: 'gpt-5.4-mini',
    cost: 0.00225,
    currency: 'USD',
    parts: [
      {
        meter: 'input',
        quantity: 1200,
        rate: { meter: 'input', unit: 'token', per: 1_000_000, price: 0.75 },
        cost: 0.0009,
        assumed: [],
      },
      {
        meter: 'output',
        quantity: 300,
        rate: { meter: 'output', unit: 'token', per: 1_000_000, price: 4.5 },
        cost: 0.00135,
        assumed: [],
      },
    ],
    provider: 'openai',
    on: '2026-06-29',
    valid_from: '2026-03-18',
    source: 'capture',
    missing: [],
  },
  dependsOnText:
    'the captures of the prices around the day; before the first one the reconstructed prices, today also the current ones',
  errors: ['not_found', 'history_window_exceeded'],
  cacheControl: 'private, max-age=60',
  check: (checked, context) => [...findDayProblems(checked, context), ...findContextProblems(checked)],
  prepare: ({ query }, context): Effective => {
    const { model, provider, units, tier, region } = query;
    return { model, provider, on: dayOf(query, context), quantities: quantitiesOf(query), units, tier, region };
  },
  handle: (effective) => ({
    dependsOn: ({ view, today }) => {
      const { on } = effective;
      const [firstDay = today] = view.capturedDays('pricing');
      return all(
        sinceDay(on),
        captureAround(view, 'pricing', on),
        on < firstDay ? backfillOf(view) : value(null),
        on === today ? contentOf(view, ['pricing']) : value(null),
      );
    },
    assertExists: async ({ view, today }) => {
      findCost(view, effective, today);
    },
    cached: async ({ view, today }) => JSON.stringify(findCost(view, effective, today)),
  }),
});

function findDayProblems(
  { values: { on } }: CheckedQuery<CostQuery>,
  { today }: RequestContext,
): readonly RequestProblem[] {
  if (on === undefined || on <= today) return [];
  return [queryProblem('on', on, { msg: `on is in the future; today is ${today}`, type: 'value_error' })];
}

/** Names the largest quantity of a context that can't be added exactly. */
function findContextProblems({ values }: CheckedQuery<CostQuery>): readonly RequestProblem[] {
  const quantities = CONTEXT_METERS.map((meter) => ({ meter, quantity: values[meter] ?? 0 }));
  const context = quantities.reduce((sum, { quantity }) => sum + quantity, 0);
  const [largest] = quantities.toSorted((a, b) => b.quantity - a.quantity);
  if (context <= CONTEXT_MAX || largest === undefined) return [];
  const msg = `${CONTEXT_METERS.join(', ')} are the context, which together is at most ${CONTEXT_MAX}`;
  return [queryProblem(largest.meter, String(largest.quantity), { msg, type: 'value_error' })];
}

/** Throws `history_window_exceeded`. */
function dayOf({ on }: CostQuery, { today, rights }: RequestContext): Day {
  const limit = planWindowStart(rights.historyMonths, today);
  if (on !== undefined && limit !== null && on < limit) throw windowExceeded('on', limit, rights);
  return on ?? today;
}

function quantitiesOf(query: CostQuery): CostRequest['quantities'] {
  const given = METERS.flatMap((meter) => {
    const quantity = query[meter];
    return quantity === undefined || quantity === 0 ? [] : [[meter, quantity] as const];
  });
  return Object.fromEntries(given);
}

interface Offer {
  readonly price: PriceInForce;
  readonly cost: number;
  readonly parts: readonly CostPart[];
}

interface Lacking {
  readonly provider: string;
  readonly gaps: readonly CostGap[];
}

/** Not compared, and why; by provider. */
interface Missing {
  readonly provider: string;
  readonly meters: readonly Meter[];
  readonly reasons: readonly string[];
}

/** Throws `not_found` for an unknown model or provider, and RequestInvalid where no price has every rate. */
function findCost(view: View, effective: Effective, today: Day): z.output<typeof CostSchema> {
  const { model, provider, on } = effective;
  const prices = readPrices(view, effective, today);
  if (prices.length === 0) throw noPrice(view, effective);
  assertNone(findUnlikeUnits(prices, effective));
  const offers: Offer[] = [];
  const lacking: Lacking[] = [];
  for (const price of prices) {
    const found = costOfPrice(price, effective);
    if ('gaps' in found) lacking.push({ provider: price.provider, gaps: found.gaps });
    else offers.push({ price, ...found });
  }
  const [first, ...others] = offers;
  if (first === undefined && provider !== undefined) throw new RequestInvalid(gapsOf(effective, lacking));
  const missing = provider === undefined ? missingOf(lacking, readUncertainProviders(view, effective), effective) : [];
  if (first === undefined) throw new RequestInvalid([noneHasAll(model, missing)]);
  assertNone(findUnlikeCurrencies(offers, effective));
  // By provider, so that of equal ones the first by id is taken.
  const best = others.reduce((least, offer) => (offer.cost < least.cost ? offer : least), first);
  return {
    model_id: model,
    cost: best.cost,
    currency: best.price.currency,
    parts: best.parts.map((part) => ({ ...part, rate: { ...part.rate }, assumed: [...part.assumed] })),
    provider: best.price.provider,
    on,
    valid_from: best.price.validFrom,
    source: best.price.source,
    missing: missing.map((each) => ({ provider: each.provider, meters: [...each.meters] })),
  };
}

function noPrice(view: View, { model, provider, on }: Effective): RequestInvalid {
  assertKnown(view, 'model', { id: model, param: 'model' });
  if (provider === undefined) {
    const msg = `No price of this model is known for ${on}`;
    return new RequestInvalid([queryProblem('model', model, { msg, type: 'price_missing' })]);
  }
  assertKnown(view, 'provider', { id: provider, param: 'provider' });
  const msg = `No price of this model at this provider is known for ${on}`;
  return new RequestInvalid([queryProblem('provider', provider, { msg, type: 'price_missing' })]);
}

function gapsOf({ quantities, provider }: Effective, lacking: readonly Lacking[]): readonly RequestProblem[] {
  return lacking
    .flatMap(({ gaps }) => gaps)
    .map(({ meter, reason }) => {
      const msg = `${provider} ${reason}${hintFor([meter])}`;
      return queryProblem(meter, String(quantities[meter]), { msg, type: 'rate_missing', ctx: { provider } });
    });
}

/** A sentence to end a message with. */
function hintFor(meters: readonly Meter[]): string {
  if (!meters.includes('reasoning')) return '';
  return '. If a provider charges reasoning as output, count these tokens in output.';
}

/** In a message; `ctx` has all. */
const PROVIDERS_NAMED_MAX = 3;

function noneHasAll(model: string, missing: readonly Missing[]): RequestProblem {
  const named = missing.slice(0, PROVIDERS_NAMED_MAX).map((each) => `${each.provider} ${each.reasons.join(' and ')}`);
  const more = missing.length > PROVIDERS_NAMED_MAX ? `; and ${missing.length - PROVIDERS_NAMED_MAX} more` : '';
  const msg = `No provider has every rate that the request needs: ${named.join('; ')}${more}${hintFor(missing.flatMap(({ meters }) => meters))}`;
  return queryProblem('model', model, { msg, type: 'rate_missing', ctx: { missing } });
}

/** Providers without a known price lack all meters. */
function missingOf(
  lacking: readonly Lacking[],
  uncertain: readonly string[],
  { quantities, on }: Effective,
): readonly Missing[] {
  const ofGaps = lacking.map(({ provider, gaps }) => ({
    provider,
    meters: gaps.map(({ meter }) => meter),
    reasons: gaps.map(({ reason }) => reason),
  }));
  const meters = METERS.filter((meter) => quantities[meter] !== undefined);
  const reasons = [`has no known price for ${on}`];
  return [...ofGaps, ...uncertain.map((provider) => ({ provider, meters, reasons }))].sort((a, b) =>
    a.provider < b.provider ? -1 : 1,
  );
}

function assertNone(problems: readonly RequestProblem[]): void {
  if (problems.length > 0) throw new RequestInvalid(problems);
}

function findUnlikeCurrencies(offers: readonly Offer[], { model }: Effective): readonly RequestProblem[] {
  const currencies = distinct(offers.map(({ price }) => price.currency));
  if (currencies.length < 2) return [];
  const msg = `Its prices are in several currencies (${currencies.join(', ')}): name a provider`;
  return [queryProblem('model', model, { msg, type: 'value_error' })];
}

/** Also in prices that lack other rates: a quantity without a unit could be of either. */
function findUnlikeUnits(prices: readonly PriceInForce[], effective: Effective): readonly RequestProblem[] {
  const { provider, quantities, units: wanted = {} } = effective;
  const rates = prices.flatMap(ratesOf);
  return METERS.flatMap((meter) => {
    if (quantities[meter] === undefined || wanted[meter] !== undefined) return [];
    const units = distinct(rates.filter((rate) => rate.meter === meter).map(({ unit }) => unit));
    if (units.length < 2) return [];
    const remedy = `name one with "units"${provider === undefined ? ', or a provider' : ''}`;
    const msg = `The rates for ${meter} are in several units (${units.join(', ')}): ${remedy}`;
    return [queryProblem(meter, String(quantities[meter]), { msg, type: 'value_error' })];
  });
}

function distinct(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)].sort();
}
