import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyRate } from '../test/support/schemas/arbitrary-record.ts';
import { findSuspectRate, RATES_FORM, type Rate, tokenPrice } from './rates.ts';

const INPUT: Rate = { meter: 'input', unit: 'token', per: 1_000_000, price: 3 };
const CACHE: Rate = { ...INPUT, meter: 'cache_read', price: 0.3 };

const parse = (value: unknown) => RATES_FORM.parse(typeof value === 'string' ? value : JSON.stringify(value));

describe('rates have one form', () => {
  const printed = (value: unknown) => {
    const parsed = parse(value);
    return 'value' in parsed ? JSON.stringify(parsed.value) : parsed;
  };

  test('sorted by meter, tier, context, how it applies, region and unit, the one without condition first', () => {
    const sorted: readonly Rate[] = [
      CACHE,
      { ...INPUT, meter: 'image_in', unit: 'image', per: 1 },
      { ...INPUT, meter: 'image_in' },
      INPUT,
      { ...INPUT, when: { region: 'eu' } },
      { ...INPUT, when: { region: 'us' } },
      { ...INPUT, when: { context_min: 9000 } },
      { ...INPUT, when: { context_min: 200_000 } },
      { ...INPUT, when: { context_min: 200_000, applies: 'marginal' } },
      { ...INPUT, when: { context_min: 200_000, applies: 'request' } },
      { ...INPUT, when: { context_min: 200_000, applies: 'request', region: 'eu' } },
      { ...INPUT, when: { tier: 'batch' } },
      { ...INPUT, when: { tier: 'batch', context_min: 9000 } },
      { ...INPUT, when: { tier: 'flex' } },
      { ...INPUT, meter: 'search', unit: 'request', per: 1000, price: 10 },
    ];
    expect(printed(sorted.toReversed())).toBe(JSON.stringify(sorted));
  });

  test('with fields in order, numbers in their shortest form, and without nulls, an empty condition and white space', () => {
    const given = ` [ {"when": {"region": "eu", "tier": null, "applies": "request", "context_min": 2e5},
      "price": 1.50, "per": 1.0e6, "unit": "token", "meter": "input"},
      {"price": 3, "when": {"tier": null}, "per": 1000000, "meter": "input", "unit": "token"},
      {"price": -0, "when": null, "per": 1000000, "meter": "output", "unit": "token"} ] `;
    expect(printed(given)).toBe(
      '[{"meter":"input","unit":"token","per":1000000,"price":3},' +
        '{"meter":"input","unit":"token","per":1000000,"price":1.5,"when":{"context_min":200000,"applies":"request","region":"eu"}},' +
        '{"meter":"output","unit":"token","per":1000000,"price":0}]',
    );
  });

  test('and none is null', () => {
    expect(parse([])).toEqual({ value: null });
  });

  test('whatever their order and that of their fields, and it is read as itself', () => {
    const rates = fc.uniqueArray(anyRate, {
      maxLength: 12,
      selector: ({ meter, unit, when = {} }) => JSON.stringify([meter, unit, Object.entries(when).sort()]),
    });
    const shuffled = (of: readonly Rate[]) =>
      fc.tuple(
        fc.shuffledSubarray([...of], { minLength: of.length }),
        fc.shuffledSubarray(['meter', 'unit', 'per', 'price', 'when'] as const, { minLength: 5 }),
      );
    const cases = rates.chain((of) => fc.tuple(fc.constant(of), shuffled(of)));
    fc.assert(
      fc.property(cases, ([of, [order, fields]]) => {
        const form = printed(of);
        expect(typeof form).toBe('string');
        const mixed = order.map((rate) => Object.fromEntries(fields.map((field) => [field, rate[field] ?? null])));
        expect(printed(mixed)).toBe(form);
        if (of.length > 0) expect(printed(form)).toBe(form);
      }),
    );
  });
});

describe('what is wrong with rates is named', () => {
  const when = (condition: object) => [{ ...INPUT, when: condition }];
  const { meter: _meter, ...noMeter } = INPUT;

  test.each<[string, unknown, string]>([
    [
      'an unknown meter',
      [CACHE, { ...INPUT, meter: 'inputs' }],
      'is wrong at [1].meter: "inputs" is not a known meter',
    ],
    ['a number as meter', [{ ...INPUT, meter: 7 }], 'is wrong at [0].meter: a number is not a known meter'],
    ['no meter', [noMeter], 'is wrong at [0].meter: is missing'],
    ['an unknown unit', [{ ...INPUT, unit: 'tokens' }], 'is wrong at [0].unit: "tokens" is not a known unit'],
    ['an unknown tier', when({ tier: 'slow' }), 'is wrong at [0].when.tier: "slow" is not a known tier'],
    [
      'an unknown way to apply',
      when({ context_min: 1, applies: 'all' }),
      'is wrong at [0].when.applies: "all" is not a known value of applies',
    ],
    ['an unknown field', [{ ...INPUT, currency: 'USD' }], 'is wrong at [0]: Unrecognized key: "currency"'],
    ['an unknown condition', when({ hours: 'night' }), 'is wrong at [0].when: Unrecognized key: "hours"'],
    ['a price per 0', [{ ...INPUT, per: 0 }], 'is wrong at [0].per: Too small'],
    ['a price per half', [{ ...INPUT, per: 0.5 }], 'is wrong at [0].per: Invalid input'],
    ['a price below 0', [{ ...INPUT, price: -0.1 }], 'is wrong at [0].price: Too small'],
    ['a price over 1e12', [{ ...INPUT, price: 1e13 }], 'is wrong at [0].price: Too big'],
    ['a price as text', [{ ...INPUT, price: '3' }], 'is wrong at [0].price: Invalid input'],
    ['an infinite price', '[{"meter":"input","unit":"token","per":1,"price":1e999}]', 'is wrong at [0].price: Invalid'],
    ['NaN', '[{"meter":"input","unit":"token","per":1,"price":NaN}]', 'is not JSON'],
    ['no price', [{ ...INPUT, price: null }], 'is wrong at [0].price: Invalid input'],
    ['a context of 0', when({ context_min: 0 }), 'is wrong at [0].when.context_min: Too small'],
    ['applies without a context', when({ applies: 'marginal' }), 'is wrong at [0].when: applies needs context_min'],
    ['a region with a space', when({ region: 'the eu' }), 'is wrong at [0].when.region: is not the name of a region'],
    ['an empty region', when({ region: '' }), 'is wrong at [0].when.region: is not the name of a region'],
    ['two for one meter', [INPUT, CACHE, { ...INPUT, price: 4 }], 'has two rates for {"meter":"input","unit":"token"}'],
    [
      'two for one condition',
      [...when({ tier: 'batch' }), ...when({ tier: 'batch', region: null })],
      'has two rates for {"meter":"input","unit":"token","when":{"tier":"batch"}}',
    ],
    [
      '201 of them',
      Array.from({ length: 201 }, (_, at) => ({ ...INPUT, when: { context_min: at + 1 } })),
      'is wrong: Too big',
    ],
    ['text', 'three dollars', 'is not JSON'],
    ['an object', INPUT, 'is wrong: Invalid input: expected array, received object'],
    ['null', 'null', 'is wrong: Invalid input: expected array'],
    ['null in the list', [INPUT, null], 'is wrong at [1]: Invalid input: expected object'],
    ['lists without an end', '['.repeat(100_000), 'is not JSON'],
  ])('%s', (_, value, problem) => {
    expect(parse(value)).toEqual({ problem: expect.stringContaining(problem) });
  });

  test('and 200 are not too many', () => {
    const rates = Array.from({ length: 200 }, (_, at) => ({ ...INPUT, when: { context_min: at + 1 } }));
    expect(parse(rates)).toEqual({ value: rates });
  });

  test('in at most 200 characters, none of them a control character', () => {
    for (const given of [
      [{ ...INPUT, ['\u001b[31m\n'.repeat(99)]: 1 }],
      [{ ...INPUT, meter: '😀\u0007'.repeat(99) }],
    ]) {
      const parsed = parse(given);
      if (!('problem' in parsed)) throw new Error('it was read');
      expect(parsed.problem).toMatch(/^is wrong at \[0\][^\p{Cc}]+$/u);
      expect(parsed.problem).toHaveLength(200);
      expect(parsed.problem.isWellFormed()).toBe(true);
    }
  });
});

test('later meters, units, tiers and ways to apply fit the published schema', () => {
  const later = [
    { ...INPUT, meter: 'smell_in', unit: 'sniff', when: { tier: 'slow', context_min: 1, applies: 'half' } },
  ];
  expect(parse(later)).toEqual({ problem: expect.anything() });
  expect(RATES_FORM.schema.safeParse(later)).toEqual({ success: true, data: later });
});

describe('the price of a million tokens', () => {
  test.each<[string, readonly Rate[], number | undefined]>([
    ['as it is', [INPUT], 3],
    ['of a price per token', [{ ...INPUT, per: 1, price: 3e-6 }], 3],
    ['of a price per thousand', [{ ...INPUT, per: 1000, price: 0.003 }], 3],
    ['that is 0', [{ ...INPUT, price: 0 }], 0],
    ['that is not said', [CACHE], undefined],
    ['that is said with a condition only', [{ ...INPUT, when: { tier: 'batch' } }], undefined],
    ['of another unit', [{ ...INPUT, unit: 'request' }], undefined],
  ])('%s', (_, rates, price) => {
    expect(tokenPrice(rates, 'input')).toBe(price);
  });

  test('is, for a price per million, exactly that price', () => {
    const prices = fc.double({ min: 0, max: 1e12, noNaN: true });
    fc.assert(fc.property(prices, (price) => tokenPrice([{ ...INPUT, price }], 'input') === price));
  });
});

describe('a suspect rate', () => {
  const LIMITS = { price_range: [0.001, 1000], max_price_ratio: 10 } as const;
  const find = (rates: readonly Rate[], previous: readonly Rate[]) => findSuspectRate(rates, previous, LIMITS);
  const cache = (price: number) => ({ ...CACHE, price });
  const search = (price: number): Rate => ({ meter: 'search', unit: 'request', per: 1, price });

  test('moved by more than the ratio, up or down', () => {
    for (const [price, old] of [
      [11, 1],
      [1, 11],
    ] as const) {
      expect(find([cache(price)], [cache(old)])).toBe(`max_price_ratio ${JSON.stringify(cache(price))}`);
    }
    expect(find([cache(10)], [cache(1)])).toBeUndefined();
    expect(find([cache(1)], [cache(10)])).toBeUndefined();
    expect(find([search(1e6)], [search(1)])).toBe(`max_price_ratio ${JSON.stringify(search(1e6))}`);
  });

  test('of tokens is outside the range, new or changed, and not if it is in force; both ends are inside', () => {
    expect(find([cache(1001)], [])).toBe(`price_range ${JSON.stringify(cache(1001))}`);
    expect(find([cache(0.0009)], [cache(0.001)])).toBe(`price_range ${JSON.stringify(cache(0.0009))}`);
    expect(find([cache(1001)], [cache(1001)])).toBeUndefined();
    expect(find([cache(1000), { ...cache(0.001), when: { tier: 'batch' } }], [])).toBeUndefined();
    expect(find([{ ...cache(1e-9), per: 1 }], [])).toBeUndefined();
    expect(find([search(5000)], [])).toBeUndefined();
  });

  test('is none for a first price, one that becomes 0 or was, and one that returns from an implausible one', () => {
    expect(find([cache(500)], [])).toBeUndefined();
    expect(find([cache(0)], [cache(500)])).toBeUndefined();
    expect(find([cache(500)], [cache(0)])).toBeUndefined();
    expect(find([cache(1)], [cache(1e6)])).toBeUndefined();
    expect(find([], [cache(500)])).toBeUndefined();
  });

  test('is compared for the same number of units, and with the same unit and condition only', () => {
    expect(find([{ ...cache(0.003), per: 1000 }], [cache(3)])).toBeUndefined();
    expect(find([{ ...cache(500), when: { tier: 'batch' } }], [cache(1)])).toBeUndefined();
    expect(find([{ ...search(500), unit: 'image' }], [search(1)])).toBeUndefined();
  });

  test('is not input or output without condition, whose prices are checked themselves; with a condition it is', () => {
    expect(find([{ ...INPUT, price: 999 }], [INPUT])).toBeUndefined();
    const batch = { ...INPUT, when: { tier: 'batch' } };
    expect(find([{ ...batch, price: 999 }], [batch])).toContain('max_price_ratio {"meter":"input"');
  });

  test('is each that breaks a rule; one outside the range comes before jumps, which time admits', () => {
    const [read, write] = [cache(100), { ...CACHE, meter: 'cache_write', price: 100 }];
    const before = [cache(1), { ...write, price: 1 }, search(1)];
    expect(find([read, write, search(99)], before)).toBe(
      `max_price_ratio ${[read, write, search(99)].map((rate) => JSON.stringify(rate)).join(', ')}`,
    );
    const outside = { ...write, price: 5000 };
    expect(find([read, outside, search(99)], before)).toBe(`price_range ${JSON.stringify(outside)}`);
  });
});
