/**
 * `/v1/cost` (specification "Cost"), over days before version 1.2 of the records, whose prices have input and output only.
 * schemas/cost.test.ts has rates.
 */
import type { Day } from '../../../runtime/day.ts';
import type { Values } from '../../night-oracle/row-rules.ts';
import { pickId, pickModel, pickSome } from '../asking/asking.ts';
import { type ApiState, type Expected, notFound } from '../expected.ts';
import { compareText } from '../order.ts';
import { isKnownModel, isKnownProvider, numberOf } from '../reading.ts';
import type { Asked, Asking, Parameters } from '../route.ts';
import type { Series, World } from '../world.ts';

const METERS = ['input', 'output', 'cache_read'] as const;

interface Offer {
  readonly provider: string;
  readonly price: Values;
  readonly validFrom: Day | null;
}

export function costResponse({ world, today }: ApiState, { query }: Asked): Expected {
  const { model = '', provider, on = today } = query;
  const prices = pricesOf(world, query, { on, isToday: on === today });
  if (prices.length === 0) {
    if (!isKnownModel(world, model)) return notFound('model');
    if (provider !== undefined && !isKnownProvider(world, provider)) return notFound('provider');
    return invalid([[provider === undefined ? 'model' : 'provider', 'price_missing']]);
  }
  const asked = METERS.filter((meter) => (numberOf(query, meter) ?? 0) > 0);
  const lacks = ({ price }: Offer) => asked.filter((meter) => (price[`${meter}_per_million`] ?? null) === null);
  const able = prices.filter((offer) => lacks(offer).length === 0);
  const [first] = prices;
  if (able.length === 0 && provider === undefined) return invalid([['model', 'rate_missing']]);
  if (able.length === 0 && first !== undefined) return invalid(lacks(first).map((meter) => [meter, 'rate_missing']));
  if (new Set(able.map(({ price }) => price['currency'])).size > 1) return invalid([['model', 'value_error']]);
  const costs = able.map((offer) => ({ offer, ...costAt(offer, asked, query) }));
  const [best] = costs.sort((a, b) => a.cost - b.cost || compareText(a.offer.provider, b.offer.provider));
  if (best === undefined) throw new Error('an able provider has a cost');
  const unable = prices
    .filter((offer) => lacks(offer).length > 0)
    .map((offer) => [offer.provider, lacks(offer)] as const);
  const unknown = provider === undefined ? uncertainOn(world, model, on).map((id) => [id, asked] as const) : [];
  return {
    kind: 'body',
    body: {
      model_id: model,
      cost: best.cost,
      currency: best.offer.price['currency'],
      parts: best.parts,
      provider: best.offer.provider,
      on,
      valid_from: best.offer.validFrom,
      source: 'capture',
      missing: [...unable, ...unknown]
        .sort(([a], [b]) => compareText(a, b))
        .map(([id, meters]) => ({ provider: id, meters })),
    },
  };
}

/** Providers with another price, or none, on the captured day before a day without a capture than on the one after. */
function uncertainOn(world: World, model: string, on: Day): readonly string[] {
  const captured = world.nights.filter((night) => night.captured.includes('pricing')).map(({ day }) => day);
  const [before, after] = [captured.findLast((day) => day < on), captured.find((day) => day > on)];
  if (captured.includes(on) || before === undefined || after === undefined) return [];
  return [...world.series.pricing.values()]
    .filter(({ key }) => key[0] === model)
    .filter(({ days, values }) => values[days.indexOf(before)] !== values[days.indexOf(after)])
    .map(({ key }) => key[1] ?? '');
}

function invalid(problems: readonly (readonly [name: string, type: string])[]): Expected {
  return { kind: 'invalid', problems: problems.map(([name, type]) => ({ loc: ['query', name], type })) };
}

interface When {
  readonly on: Day;
  readonly isToday: boolean;
}

/** By provider: today those in force, else those whose interval covers the day. */
function pricesOf(world: World, { model, provider }: Parameters, { on, isToday }: When): readonly Offer[] {
  const isAsked = (key: readonly string[]) => key[0] === model && (provider === undefined || key[1] === provider);
  const captured = world.nights.filter((night) => night.captured.includes('pricing')).map(({ day }) => day);
  const covering = [...world.series.pricing.values()]
    .filter(({ key }) => isAsked(key))
    .flatMap((series) => intervalOn(series, captured, on));
  const since = new Map(covering.map(({ provider: id, validFrom }) => [id, validFrom]));
  const current = world.current.pricing.map((price) => {
    const id = String(price['provider']);
    return {
      key: [String(price['model_id']), id],
      provider: id,
      price: price as Values,
      validFrom: since.get(id) ?? null,
    };
  });
  const found = isToday ? current.filter(({ key }) => isAsked(key)) : covering;
  return [...found].sort((a, b) => compareText(a.provider, b.provider));
}

/** The interval of a series that covers a day: it ends on the last captured day before the record changed or vanished. */
function intervalOn({ key, days, values }: Series, captured: readonly Day[], on: Day): readonly Offer[] {
  const valueOn = (day: Day | undefined) => (day === undefined ? undefined : values[days.indexOf(day)]);
  const at = captured.findLastIndex((day) => day <= on);
  const price = valueOn(captured[at]);
  if (price === undefined) return [];
  const next = captured[at + 1];
  const isCovered = captured[at] === on || next === undefined || valueOn(next) === price;
  if (!isCovered) return [];
  let first = at;
  while (first > 0 && valueOn(captured[first - 1]) === price) first -= 1;
  return [{ provider: key[1] ?? '', price, validFrom: captured[first] ?? null }];
}

/** In whole 10⁻¹², which are added exactly. */
function costAt({ price }: Offer, asked: readonly string[], query: Parameters) {
  const units = asked.map((meter) => unitsFor(Number(price[`${meter}_per_million`]), numberOf(query, meter) ?? 0));
  const parts = asked.map((meter, i) => ({
    meter,
    quantity: numberOf(query, meter),
    rate: { meter, unit: 'token', per: 1_000_000, price: price[`${meter}_per_million`] },
    cost: inWhole(units[i] ?? 0n),
    assumed: ['conditions'],
  }));
  return { cost: inWhole(units.reduce((sum, each) => sum + each, 0n)), parts };
}

/** A price of a million by a count of tokens: both in digits, half up. */
function unitsFor(perMillion: number, tokens: number): bigint {
  const [digits = '', exponent = '0'] = String(perMillion).split('e');
  const [whole = '', fraction = ''] = digits.split('.');
  // 10⁻¹² of a token's price are 10⁻⁶ of a million's.
  const places = Number(exponent) - fraction.length + 6;
  const product = BigInt(whole + fraction) * BigInt(tokens);
  if (places >= 0) return product * 10n ** BigInt(places);
  const text = String(product).padStart(1 - places, '0');
  return BigInt(text.slice(0, places)) + (text.slice(places) >= '5' ? 1n : 0n);
}

function inWhole(units: bigint): number {
  const text = String(units).padStart(13, '0');
  return Number(`${text.slice(0, -12)}.${text.slice(-12)}`);
}

export function askCost(asking: Asking): Asked {
  const { choose, interests, state } = asking;
  const model = pickModel(asking);
  const own = [...state.world.series.pricing.values()]
    .filter(({ key }) => key[0] === model)
    .map(({ key }) => key[1] ?? '');
  const days = [...interests.nights, ...interests.gaps, ...interests.edges].filter((day) => day <= state.today);
  const count = () => String(choose.pick([0, 1, 7, 1000, 123_457, 1_000_000, 10_000_000]));
  const query = {
    model,
    input: count(),
    ...pickSome(asking, {
      provider: [0.3, () => pickId(asking, choose.chance(0.8) ? own : interests.providers)],
      on: [0.6, () => choose.pick(days)],
      output: [0.7, count],
      cache_read: [0.1, count],
    }),
  };
  return { params: {}, query };
}
