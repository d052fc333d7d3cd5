import { expect, test } from 'vitest';
import {
  endedOfferSentence,
  listOf,
  modelPhrase,
  moveSentence,
  nameInText,
  newModelPhrase,
  offerSentence,
  type Price,
  priceChangeSentence,
  scoreSentence,
  titleList,
} from './words.ts';

test('what reads from right to left is kept to itself', () => {
  expect(nameInText('نموذج')).toBe('\u2068نموذج\u2069');
  expect(nameInText('דגם 3')).toBe('\u2068דגם 3\u2069');
});

test('a long name is cut between characters', () => {
  const cut = nameInText('🦙'.repeat(300));
  expect([...cut]).toHaveLength(200);
  expect(cut.endsWith('🦙…')).toBe(true);
});

test('lists name what fits and count the rest', () => {
  expect(listOf([], { max: 3 })).toBe('');
  expect(listOf(['a', 'b'], { max: 3 })).toBe('a and b');
  expect(listOf(['a', 'b'], { max: 1 })).toBe('a and 1 more');
  expect(listOf(['a', 'b'], { max: 3, count: 9 })).toBe('a, b and 7 more');
});

test('a new model is told with what is known of it', () => {
  const known = { name: 'Claude X', organization: 'Anthropic' };
  expect(newModelPhrase('claude-x', known, ['a', 'b'])).toBe('Claude X (claude-x) by Anthropic, offered by a and b');
  expect(newModelPhrase('claude-x', { name: 'claude-x', organization: null }, [])).toBe('claude-x');
});

test('a model whose name is not known, or shows nothing, is its id', () => {
  expect(modelPhrase('x', undefined)).toBe('x');
  expect(modelPhrase('x', { name: ' \u0000\u200f ', organization: null })).toBe('x');
});

test.each([
  [4, 2, 'gpt-y went from 4 to 2'],
  [null, 3, 'gpt-y came in at 3'],
  [4, null, 'gpt-y is no longer ranked (it was 4)'],
  [null, null, 'gpt-y is no longer ranked'],
])('a rank from %s to %s is a move', (before, after, words) => {
  expect(moveSentence('gpt-y', { before, after })).toBe(words);
  const inCoding = moveSentence('gpt-y', { before, after }, 'coding');
  expect(inCoding, 'its category is told where nothing else does').toBe(words.replace(/( \(.*)?$/, ' in coding$1'));
});

test.each([
  [null, 71.2, 'x: new score 71.2 in gpqa'],
  [70, 71.25, 'x: score from 70 to 71.25 in gpqa'],
  [-0.5, 1234.5, 'x: score from −0.5 to 1,234.5 in gpqa'],
  [0.12345678, 0.12345679, 'x: score from 0.12345678 to 0.12345679 in gpqa'],
  [70, null, 'x: no longer scored in gpqa (it was 70)'],
])('a score from %s to %s is told in the digits that it needs', (before, after, words) => {
  expect(scoreSentence('x', 'gpqa', { before, after })).toBe(words);
});

test('a title names three and counts the others', () => {
  expect(titleList(['a'])).toBe('a');
  expect(titleList(['a', 'b', 'c'])).toBe('a, b and c');
  expect(titleList(['a', 'b', 'c', 'd'])).toBe('a, b, c and 1 more');
  expect(titleList(['a', 'b', 'c'], 1234)).toBe('a, b, c and 1,231 more');
});

const price = (input: number | null, output: number | null, currency = 'USD'): Price => ({
  input_per_million: input,
  output_per_million: output,
  currency,
});

test.each([
  [price(3, 15), price(2.5, 15), 'input price at p from $3 to $2.50 per 1 M tokens (−17 %)'],
  [price(3, 10), price(3, 12.125), 'output price at p from $10 to $12.125 per 1 M tokens (+21 %)'],
  [price(3, 15), price(2.5, 12), 'price at p from $3 / $15 to $2.50 / $12 per 1 M tokens (input −17 %, output −20 %)'],
  [price(0, 15), price(1, 15), 'input price at p from $0 to $1 per 1 M tokens'],
  [price(1, 15), price(0, 15), 'input price at p from $1 to $0 per 1 M tokens (−100 %)'],
  [price(0.75, null), price(7.5e-7, null), 'input price at p from $0.75 to $0.00000075 per 1 M tokens (−100 %)'],
  [price(1, 2), price(1_000_000, 2), 'input price at p from $1 to $1,000,000 per 1 M tokens (+99,999,900 %)'],
  [price(1000, 2), price(1003, 2), 'input price at p from $1,000 to $1,003 per 1 M tokens (+0.3 %)'],
  [price(null, 15), price(3, 15), 'input price at p is $3 per 1 M tokens (it was not listed before)'],
  [price(3, 15), price(3, null), 'output price at p is no longer listed (it was $15 per 1 M tokens)'],
  [price(3, null), price(null, 15), 'price at p from $3 / – to – / $15 per 1 M tokens'],
  [price(3, 15), price(3, 15, 'EUR'), 'price at p from $3 / $15 to 3 EUR / 15 EUR per 1 M tokens'],
  [price(0.12320000000000002, 1), price(0.9, 1), 'input price at p from $0.1232 to $0.90 per 1 M tokens (+631 %)'],
])('%o that became %o is told as it is', (before, after, words) => {
  expect(priceChangeSentence('x', ['p'], { before, after })).toBe(`x: ${words}`);
});

test('providers that change alike are named together, the first eight of them', () => {
  const change = { before: price(3, 15), after: price(2, 15) };
  expect(priceChangeSentence('x', ['a', 'b', 'c'], change)).toContain('input price at a, b and c from $3 to $2');
  const many = Array.from({ length: 12 }, (_, i) => `p${i}`);
  expect(priceChangeSentence('x', many, change)).toContain('at p0, p1, p2, p3, p4, p5, p6, p7 and 4 more from');
});

test.each([
  [['a'], price(0.12320000000000002, null), 'x: now offered by a at $0.1232 / – per 1 M tokens'],
  [['a', 'b'], price(null, 0.5), 'x: now offered by a and b at – / $0.50 per 1 M tokens'],
  [['a'], price(null, null), 'x: now offered by a'],
])('an offer of %j for %o begins with a price where there is one', (providers, begun, words) => {
  expect(offerSentence('x', providers, begun)).toBe(words);
});

test('an offer ends', () => {
  expect(endedOfferSentence('x', ['a', 'b'])).toBe('x: no longer offered by a and b');
});
