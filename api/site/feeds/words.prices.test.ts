import { expect, test } from 'vitest';
import { endedOfferWords, offerWords, type Price, priceChangeWords } from './words.ts';

const price = (input: number | null, output: number | null, currency = 'USD'): Price => ({
  input_per_million: input,
  output_per_million: output,
  currency,
});

test.each([
  [price(3, 15), price(2.5, 15), 'claude-x: input price at anthropic from $3 to $2.50 per 1 M tokens (−17 %)'],
  [price(3, 10), price(3, 12.125), 'claude-x: output price at anthropic from $10 to $12.125 per 1 M tokens (+21 %)'],
  [
    price(3, 15),
    price(2.5, 12),
    'claude-x: price at anthropic from $3 / $15 to $2.50 / $12 per 1 M tokens (input −17 %, output −20 %)',
  ],
  [price(0, 15), price(1, 15), 'claude-x: input price at anthropic from $0 to $1 per 1 M tokens'],
  [price(1, 15), price(0, 15), 'claude-x: input price at anthropic from $1 to $0 per 1 M tokens (−100 %)'],
  [
    price(0.75, null),
    price(7.5e-7, null),
    'claude-x: input price at anthropic from $0.75 to $0.00000075 per 1 M tokens (−100 %)',
  ],
  [
    price(1, 2),
    price(1_000_000, 2),
    'claude-x: input price at anthropic from $1 to $1,000,000 per 1 M tokens (+99,999,900 %)',
  ],
  [price(1000, 2), price(1003, 2), 'claude-x: input price at anthropic from $1,000 to $1,003 per 1 M tokens (+0.3 %)'],
  [price(null, 15), price(3, 15), 'claude-x: input price at anthropic is $3 per 1 M tokens (it was not told before)'],
  [price(3, 15), price(3, null), 'claude-x: output price at anthropic is no longer told (it was $15 per 1 M tokens)'],
  [price(3, null), price(null, 15), 'claude-x: price at anthropic from $3 / – to – / $15 per 1 M tokens'],
  [price(3, 15), price(3, 15, 'EUR'), 'claude-x: price at anthropic from $3 / $15 to 3 EUR / 15 EUR per 1 M tokens'],
  [
    price(0.12320000000000002, 1),
    price(0.8999999999999999, 1),
    'claude-x: input price at anthropic from $0.1232 to $0.90 per 1 M tokens (+631 %)',
  ],
])('%o that became %o is told as it is', (before, after, words) => {
  expect(priceChangeWords('claude-x', ['anthropic'], { before, after })).toBe(words);
});

test('providers that change alike are named together, the first eight of them', () => {
  const change = { before: price(3, 15), after: price(2, 15) };
  expect(priceChangeWords('x', ['a', 'b', 'c'], change)).toContain('input price at a, b and c from $3 to $2');
  const many = Array.from({ length: 12 }, (_, i) => `p${i}`);
  expect(priceChangeWords('x', many, change)).toContain('at p0, p1, p2, p3, p4, p5, p6, p7 and 4 more from');
});

test('offers begin with a price where there is one, and end', () => {
  expect(offerWords('x', ['a'], price(0.12320000000000002, null))).toBe(
    'x: now offered by a at $0.1232 / – per 1 M tokens',
  );
  expect(offerWords('x', ['a'], price(3, 15))).toBe('x: now offered by a at $3 / $15 per 1 M tokens');
  expect(offerWords('x', ['a', 'b'], price(null, 0.5))).toBe('x: now offered by a and b at – / $0.50 per 1 M tokens');
  expect(offerWords('x', ['a'], price(null, null))).toBe('x: now offered by a');
  expect(endedOfferWords('x', ['a', 'b'])).toBe('x: no longer offered by a and b');
});
