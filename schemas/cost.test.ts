import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Cost, type CostRequest, costOf, costOfPrice } from './cost.ts';
import type { Meter, Rate } from './rates.ts';

/** Per million tokens. */
function tokens(meter: Meter, price: number, when?: Rate['when']): Rate {
  return { meter, unit: 'token', per: 1_000_000, price, ...(when === undefined ? {} : { when }) };
}

function each(meter: Meter, unit: string, price: number, when?: Rate['when']): Rate {
  return { meter, unit, per: 1, price, ...(when === undefined ? {} : { when }) };
}

/** With caches: above 200,000 tokens all of the request costs more. */
const CACHED = [
  tokens('input', 3),
  tokens('output', 15),
  tokens('cache_read', 0.3),
  tokens('cache_write', 3.75),
  tokens('cache_write_1h', 6),
  tokens('input', 6, { context_min: 200_000, applies: 'request' }),
  tokens('output', 22.5, { context_min: 200_000, applies: 'request' }),
  tokens('cache_read', 0.6, { context_min: 200_000, applies: 'request' }),
  tokens('cache_write', 7.5, { context_min: 200_000, applies: 'request' }),
];
/** With two marginal thresholds. */
const MARGINAL = [
  tokens('input', 1),
  tokens('input', 2, { context_min: 32_000, applies: 'marginal' }),
  tokens('input', 4, { context_min: 128_000, applies: 'marginal' }),
  tokens('cache_read', 0.1),
  tokens('cache_read', 0.2, { context_min: 32_000, applies: 'marginal' }),
  tokens('output', 8),
  tokens('output', 10, { context_min: 32_000, applies: 'marginal' }),
];
/** With tiers of service and a region. */
const TIERED = [
  tokens('input', 1.25),
  tokens('output', 10),
  tokens('cache_read', 0.125),
  tokens('input', 0.625, { tier: 'batch' }),
  tokens('output', 5, { tier: 'batch' }),
  tokens('input', 2.5, { tier: 'priority' }),
  tokens('output', 20, { tier: 'priority' }),
  tokens('input', 5, { tier: 'priority', context_min: 272_000, applies: 'request' }),
  tokens('output', 30, { tier: 'priority', context_min: 272_000, applies: 'request' }),
  tokens('input', 1.375, { region: 'eu' }),
  tokens('output', 11, { region: 'eu' }),
];
const MEDIA = [
  tokens('input', 2),
  tokens('input', 4, { context_min: 100_000, applies: 'request' }),
  tokens('image_out', 30),
  each('image_out', 'image', 0.039),
  each('image_in', 'image', 0.001),
  each('audio_in', 'second', 0.0001),
  tokens('reasoning', 12),
  each('search', 'request', 0.01),
  each('request', 'request', 0.005),
];
const OPEN_APPLIES = [tokens('input', 1), tokens('input', 2, { context_min: 1000 })];

type Case = readonly [
  what: string,
  rates: readonly Rate[],
  request: CostRequest,
  parts: readonly (readonly [Meter, quantity: number, cost: number])[],
  total: number,
];

/** The arithmetic beside each case was done by hand. */
const CASES: readonly Case[] = [
  [
    'input and output', // 1,000 × 3 / 10⁶ = 0.003; 500 × 15 / 10⁶ = 0.0075
    CACHED,
    { quantities: { input: 1000, output: 500 } },
    [
      ['input', 1000, 0.003],
      ['output', 500, 0.0075],
    ],
    0.0105,
  ],
  [
    'a read cache, which is not part of input', // 200 × 3 = 600; 9,800 × 0.3 = 2,940; 100 × 15 = 1,500; / 10⁶
    CACHED,
    { quantities: { input: 200, output: 100, cache_read: 9800 } },
    [
      ['input', 200, 0.0006],
      ['output', 100, 0.0015],
      ['cache_read', 9800, 0.00294],
    ],
    0.00504,
  ],
  [
    'both written caches', // 4,000 × 3.75 = 15,000; 2,000 × 6 = 12,000; 10 × 3 = 30; / 10⁶
    CACHED,
    { quantities: { input: 10, cache_write: 4000, cache_write_1h: 2000 } },
    [
      ['input', 10, 0.00003],
      ['cache_write', 4000, 0.015],
      ['cache_write_1h', 2000, 0.012],
    ],
    0.02703,
  ],
  [
    'a context of exactly the threshold', // 200,000 is not more than 200,000: 200,000 × 3 = 600,000; 1 × 15; / 10⁶
    CACHED,
    { quantities: { input: 200_000, output: 1 } },
    [
      ['input', 200_000, 0.6],
      ['output', 1, 0.000015],
    ],
    0.600015,
  ],
  [
    'a context of one token more: all of the request', // 200,001 × 6 = 1,200,006; 1 × 22.5; / 10⁶
    CACHED,
    { quantities: { input: 200_001, output: 1 } },
    [
      ['input', 200_001, 1.200006],
      ['output', 1, 0.0000225],
    ],
    1.2000285,
  ],
  [
    'a context that only its caches lift above the threshold', // 190,000 + 8,000 + 2,001 = 200,001: × 6, × 0.6, × 7.5
    CACHED, // 1,140,000 + 4,800 + 15,007.5; / 10⁶
    { quantities: { input: 190_000, cache_read: 8000, cache_write: 2001 } },
    [
      ['input', 190_000, 1.14],
      ['cache_read', 8000, 0.0048],
      ['cache_write', 2001, 0.0150075],
    ],
    1.1598075,
  ],
  [
    'a meter without a rate above the threshold, which keeps its own', // 300,000 × 6 = 1,800,000; 1,000 × 6 (1h) = 6,000
    CACHED,
    { quantities: { input: 300_000, cache_write_1h: 1000 } },
    [
      ['input', 300_000, 1.8],
      ['cache_write_1h', 1000, 0.006],
    ],
    1.806,
  ],
  [
    'output, which is not part of the context', // 199,999 × 3 = 599,997; 100,000 × 15 = 1,500,000; / 10⁶
    CACHED,
    { quantities: { input: 199_999, output: 100_000 } },
    [
      ['input', 199_999, 0.599997],
      ['output', 100_000, 1.5],
    ],
    2.099997,
  ],
  [
    'a marginal threshold', // 32,000 × 1 = 32,000; 8,000 × 2 = 16,000; / 10⁶
    MARGINAL,
    { quantities: { input: 40_000 } },
    [
      ['input', 32_000, 0.032],
      ['input', 8000, 0.016],
    ],
    0.048,
  ],
  [
    'two marginal thresholds, with output behind the context', // 32,000 × 1; 96,000 × 2 = 192,000; 72,000 × 4 = 288,000;
    MARGINAL, // output: 1,000 × 10 = 10,000; / 10⁶
    { quantities: { input: 200_000, output: 1000 } },
    [
      ['input', 32_000, 0.032],
      ['input', 96_000, 0.192],
      ['input', 72_000, 0.288],
      ['output', 1000, 0.01],
    ],
    0.522,
  ],
  [
    'a marginal threshold within the cache, which comes first', // cache: 32,000 × 0.1 = 3,200; 8,000 × 0.2 = 1,600;
    MARGINAL, // input: tokens 40,000 to 50,000, all above 32,000: 10,000 × 2 = 20,000; / 10⁶
    { quantities: { input: 10_000, cache_read: 40_000 } },
    [
      ['input', 10_000, 0.02],
      ['cache_read', 32_000, 0.0032],
      ['cache_read', 8000, 0.0016],
    ],
    0.0248,
  ],
  [
    'a marginal threshold behind the cache', // cache: 30,000 × 0.1 = 3,000; input: 2,000 × 1 = 2,000; 8,000 × 2 = 16,000
    MARGINAL,
    { quantities: { input: 10_000, cache_read: 30_000 } },
    [
      ['input', 2000, 0.002],
      ['input', 8000, 0.016],
      ['cache_read', 30_000, 0.003],
    ],
    0.021,
  ],
  [
    'a marginal threshold within pictures, which come last', // cache: 1,000 × 0.1; input: 30,000 × 1 = 30,000;
    [...MARGINAL, tokens('image_in', 3), tokens('image_in', 5, { context_min: 32_000, applies: 'marginal' })],
    { quantities: { input: 30_000, cache_read: 1000, image_in: 4000 } }, // pictures: 1,000 × 3 + 3,000 × 5 = 18,000; / 10⁶
    [
      ['input', 30_000, 0.03],
      ['cache_read', 1000, 0.0001],
      ['image_in', 1000, 0.003],
      ['image_in', 3000, 0.015],
    ],
    0.0481,
  ],
  [
    'a batch', // 10⁶ × 0.625 / 10⁶ = 0.625; 200,000 × 5 / 10⁶ = 1
    TIERED,
    { quantities: { input: 1_000_000, output: 200_000 }, tier: 'batch' },
    [
      ['input', 1_000_000, 0.625],
      ['output', 200_000, 1],
    ],
    1.625,
  ],
  [
    'a tier with a threshold of its own', // 300,000 > 272,000: 300,000 × 5 = 1,500,000; 1,000 × 30 = 30,000; / 10⁶
    TIERED,
    { quantities: { input: 300_000, output: 1000 }, tier: 'priority' },
    [
      ['input', 300_000, 1.5],
      ['output', 1000, 0.03],
    ],
    1.53,
  ],
  [
    'the standard tier beside others, which has no threshold', // 300,000 × 1.25 = 375,000; 1,000 × 10 = 10,000; / 10⁶
    TIERED,
    { quantities: { input: 300_000, output: 1000 } },
    [
      ['input', 300_000, 0.375],
      ['output', 1000, 0.01],
    ],
    0.385,
  ],
  [
    'a region', // 1,000 × 1.375 = 1,375; 100 × 11 = 1,100; / 10⁶
    TIERED,
    { quantities: { input: 1000, output: 100 }, region: 'eu' },
    [
      ['input', 1000, 0.001375],
      ['output', 100, 0.0011],
    ],
    0.002475,
  ],
  [
    'pictures, counted one by one', // 3 × 0.039 = 0.117; 100 × 2 / 10⁶ = 0.0002
    MEDIA,
    { quantities: { input: 100, image_out: 3 }, units: { image_out: 'image' } },
    [
      ['input', 100, 0.0002],
      ['image_out', 3, 0.117],
    ],
    0.1172,
  ],
  [
    'the same pictures, counted in tokens', // 3 × 1,290 = 3,870 × 30 / 10⁶ = 0.1161; 100 × 2 / 10⁶ = 0.0002
    MEDIA,
    { quantities: { input: 100, image_out: 3870 }, units: { image_out: 'token' } },
    [
      ['input', 100, 0.0002],
      ['image_out', 3870, 0.1161],
    ],
    0.1163,
  ],
  [
    'seconds, searches and a fee per request', // 12.5 × 0.0001 = 0.00125; 3 × 0.01 = 0.03; 1 × 0.005
    MEDIA,
    { quantities: { audio_in: 12.5, search: 3, request: 1 } },
    [
      ['audio_in', 12.5, 0.00125],
      ['search', 3, 0.03],
      ['request', 1, 0.005],
    ],
    0.03625,
  ],
  [
    'parts of a second beside many tokens', // 10⁶ × 2 / 10⁶ = 2 (above 100,000: × 4 = 4); 12.5678 × 0.001 = 0.0125678
    [...MEDIA, each('audio_out', 'second', 0.001)],
    { quantities: { input: 1_000_000, audio_in: 0.3, audio_out: 12.5678 } }, // 0.3 × 0.0001 = 0.00003
    [
      ['input', 1_000_000, 4],
      ['audio_in', 0.3, 0.00003],
      ['audio_out', 12.5678, 0.0125678],
    ],
    4.0125978,
  ],
  [
    'requests and parts of a second beside the largest context', // to 16 digits; 2 × 0.005; 0.3 × 0.0001
    [tokens('input', 1), ...MEDIA.filter(({ meter }) => meter !== 'input')],
    { quantities: { input: Number.MAX_SAFE_INTEGER, audio_in: 0.3, request: 2 } },
    [
      ['input', Number.MAX_SAFE_INTEGER, 9_007_199_254.740992],
      ['audio_in', 0.3, 0.00003],
      ['request', 2, 0.01],
    ],
    9_007_199_254.75102,
  ],
  [
    'reasoning with a rate of its own, and nothing for quantities of 0', // 700 × 12 / 10⁶ = 0.0084
    MEDIA,
    { quantities: { input: 0, output: 0, reasoning: 700 } },
    [['reasoning', 700, 0.0084]],
    0.0084,
  ],
  [
    'prices that are no binary fractions', // 1 × 0.1 / 10⁶ and 1 × 0.2 / 10⁶: 0.0000003, not 0.00000030000000000000004
    [tokens('input', 0.1), tokens('output', 0.2)],
    { quantities: { input: 1, output: 1 } },
    [
      ['input', 1, 1e-7],
      ['output', 1, 2e-7],
    ],
    3e-7,
  ],
  [
    'a third of a price', // 1 × 1 / 3 = 0.333…, 2 / 3 = 0.666…7, to twelve places
    [
      { meter: 'input', unit: 'token', per: 3, price: 1 },
      { meter: 'output', unit: 'token', per: 3, price: 1 },
    ],
    { quantities: { input: 1, output: 2 } },
    [
      ['input', 1, 0.333333333333],
      ['output', 2, 0.666666666667],
    ],
    1,
  ],
];

test.each(CASES)('%s', (_, rates, request, ...[parts, total]) => {
  const found = costOf(rates, request);
  if ('gaps' in found) throw new Error(JSON.stringify(found.gaps));
  expect(found.parts.map(({ meter, quantity, cost }) => [meter, quantity, cost])).toEqual(parts);
  expect(found.cost).toBe(total);
});

function reasonsOf(found: Cost): readonly string[] {
  return 'gaps' in found ? found.gaps.map(({ reason }) => reason) : [];
}

describe('a rate that is not known is a gap, never another rate', () => {
  test.each<readonly [what: string, rates: readonly Rate[], request: CostRequest, reasons: readonly string[]]>([
    [
      'meters without a rate, all of them',
      TIERED,
      { quantities: { input: 1, cache_write: 1, search: 1 } },
      ['has no rate for cache_write', 'has no rate for search'],
    ],
    [
      'an hour of cache, where only the short one has a rate',
      [tokens('cache_write', 1)],
      { quantities: { cache_write_1h: 1 } },
      ['has no rate for cache_write_1h'],
    ],
    [
      'reasoning, which some providers charge as output and some apart',
      CACHED,
      { quantities: { reasoning: 1 } },
      ['has no rate for reasoning'],
    ],
    [
      'a tier that the meter lacks',
      TIERED,
      { quantities: { input: 1, cache_read: 1 }, tier: 'batch' },
      ['has no rate for cache_read with tier batch'],
    ],
    [
      'a tier that the price lacks',
      CACHED,
      { quantities: { input: 1 }, tier: 'flex' },
      ['has no rate for input with tier flex'],
    ],
    [
      'a tier in a region',
      TIERED,
      { quantities: { input: 1 }, tier: 'batch', region: 'eu' },
      ['has no rate for input with tier batch and region eu'],
    ],
    [
      'a region that only others have',
      [tokens('input', 1, { region: 'eu' }), tokens('input', 1, { region: 'us' })],
      { quantities: { input: 1 } },
      ['has rates for input only with region eu, with region us'],
    ],
    [
      'a tier above a threshold that only the standard one has',
      [...CACHED, tokens('input', 1.5, { tier: 'batch' })],
      { quantities: { input: 200_001 }, tier: 'batch' },
      ['has no rate for input with tier batch above 200000 tokens of context'],
    ],
    [
      'a context below the only threshold',
      [tokens('cache_write', 2, { context_min: 200_000, applies: 'request' })],
      { quantities: { cache_write: 10 } },
      ['has no rate for cache_write up to 200000 tokens of context'],
    ],
    [
      'a context below the only marginal threshold',
      [tokens('input', 2, { context_min: 10, applies: 'marginal' })],
      { quantities: { input: 11 } },
      ['has no rate for input up to 10 tokens of context'],
    ],
    [
      'one condition with two rates',
      [
        tokens('input', 1),
        tokens('input', 2, { context_min: 10, applies: 'request' }),
        tokens('input', 3, { context_min: 10, applies: 'marginal' }),
      ],
      { quantities: { input: 11 } },
      ['has two rates for input under one condition'],
    ],
    [
      'a meter in two units',
      MEDIA,
      { quantities: { image_out: 1 } },
      ['has rates for image_out in several units (token, image): name one with "units"'],
    ],
    [
      'a unit that the meter lacks',
      MEDIA,
      { quantities: { audio_in: 1 }, units: { audio_in: 'token' } },
      ['has no rate for audio_in in the unit token'],
    ],
    [
      'a part of a token',
      [tokens('audio_in', 1)],
      { quantities: { audio_in: 0.5 } },
      ['counts audio_in in whole units (token)'],
    ],
    [
      'more than a number holds',
      [tokens('input', 1.7e308)],
      { quantities: { input: 1e15 } },
      ['costs more than a number can hold'],
    ],
  ])('%s', (_, rates, request, reasons) => {
    expect(reasonsOf(costOf(rates, request))).toEqual(reasons);
  });
});

describe('what a rate leaves open is said', () => {
  const assumedOf = (found: Cost) => ('parts' in found ? found.parts.map(({ assumed }) => assumed) : []);

  test('whether all tokens of the request have the rate above a threshold', () => {
    expect(assumedOf(costOf(OPEN_APPLIES, { quantities: { input: 1001 } }))).toEqual([['applies']]);
    expect(costOf(OPEN_APPLIES, { quantities: { input: 1001 } })).toMatchObject({ cost: 0.002002 }); // 1,001 × 2
    expect(assumedOf(costOf(OPEN_APPLIES, { quantities: { input: 1000 } }))).toEqual([[]]);
  });

  test('in which order a prompt has what is cached and what is not', () => {
    expect(assumedOf(costOf(MARGINAL, { quantities: { input: 10_000, cache_read: 30_000 } }))).toEqual([
      ['order'],
      ['order'],
      ['order'],
    ]);
    expect(assumedOf(costOf(MARGINAL, { quantities: { input: 40_000, output: 1 } }))).toEqual([[], [], []]);
  });

  test('how many tokens of context a picture is', () => {
    const request = { quantities: { input: 99_000, image_in: 9 } };
    expect(assumedOf(costOf(MEDIA, request))).toEqual([['context'], []]);
    expect(assumedOf(costOf(MEDIA, { quantities: { input: 100_001, image_in: 9 } }))).toEqual([[], []]);
  });

  test('which tiers and thresholds a price without rates has', () => {
    const price = { input_per_million: 3, output_per_million: null };
    const found = costOfPrice(price, { quantities: { input: 500 } });
    expect(found).toMatchObject({ cost: 0.0015, parts: [{ assumed: ['conditions'] }] });
    expect(reasonsOf(costOfPrice({ ...price, rates: null }, { quantities: { output: 1, cache_read: 1 } }))).toEqual([
      'has no rate for output',
      'has no rate for cache_read',
    ]);
    expect(costOfPrice({ ...price, rates: CACHED }, { quantities: { output: 1 } })).toMatchObject({ cost: 0.000015 });
  });
});

const anyPrice = fc.integer({ min: 0, max: 100_000_000 }).map((millionths) => millionths / 1_000_000);
const METERS_IN_TOKENS = ['input', 'output', 'cache_read', 'cache_write'] as const;
const anyQuantities = fc.record(
  Object.fromEntries(METERS_IN_TOKENS.map((meter) => [meter, fc.integer({ min: 0, max: 10_000_000 })])) as Record<
    (typeof METERS_IN_TOKENS)[number],
    fc.Arbitrary<number>
  >,
);
const anyRates = fc
  .tuple(...METERS_IN_TOKENS.map(() => anyPrice))
  .map((prices) => METERS_IN_TOKENS.map((meter, at) => tokens(meter, prices[at] ?? 0)));
const anyTiers = fc.array(
  fc.record({
    meter: fc.constantFrom(...METERS_IN_TOKENS),
    price: anyPrice,
    context_min: fc.constantFrom(1000, 200_000, 1_000_000),
    applies: fc.constantFrom('request', 'marginal', undefined),
  }),
  { maxLength: 6 },
);

/** In whole 10⁻¹²: what JSON numbers hold exactly here. */
function unitsOf(cost: number): bigint {
  return BigInt(cost.toFixed(12).replace('.', ''));
}

test('the cost is the sum of its parts, whose quantities are those of the request', () => {
  fc.assert(
    fc.property(anyRates, anyTiers, anyQuantities, (base, tiers, quantities) => {
      const more = tiers.map(({ meter, price, context_min, applies }) =>
        tokens(meter, price, { context_min, ...(applies === undefined ? {} : { applies }) }),
      );
      const keyOf = ({ meter, when }: Rate) => `${meter} ${when?.context_min}`;
      const rates = [...base, ...new Map(more.map((rate) => [keyOf(rate), rate])).values()];
      const found = costOf(rates, { quantities });
      if ('gaps' in found) throw new Error(JSON.stringify(found.gaps));
      expect(unitsOf(found.cost)).toBe(found.parts.reduce((sum, { cost }) => sum + unitsOf(cost), 0n));
      for (const meter of METERS_IN_TOKENS) {
        const parts = found.parts.filter((part) => part.meter === meter);
        expect(parts.reduce((sum, { quantity }) => sum + quantity, 0)).toBe(quantities[meter]);
      }
    }),
  );
});

test('without thresholds a larger quantity never costs less', () => {
  fc.assert(
    fc.property(anyRates, anyQuantities, anyQuantities, (rates, one, more) => {
      const sum = Object.fromEntries(METERS_IN_TOKENS.map((meter) => [meter, one[meter] + more[meter]]));
      const costFor = (quantities: CostRequest['quantities']) => {
        const found = costOf(rates, { quantities });
        return 'cost' in found ? found.cost : Number.NaN;
      };
      expect(costFor(sum)).toBeGreaterThanOrEqual(costFor(one));
    }),
  );
});
