import { describe, expect, test } from 'vitest';
import { isolated, isRightToLeft, plainText } from './plain-text.ts';

describe('a plain text', () => {
  test.each([
    ['two\nlines\t and  room ', 'two lines and room'],
    ['\u0000bell\u0007', 'bell'],
    ['half \ud83d of a pair', 'half \ufffd of a pair'],
    ['safe\u202Egnp.exe\u202C', 'safegnp.exe'],
    ['\u2066isolate\u2069 \u200Fmark\uFEFF', 'isolate mark'],
    ['no \ufffe\uffff\ufdd0 characters\u0085on\u2028a line', 'no characters on a line'],
    ['👩‍👧 می‌خواهم', '👩‍👧 می‌خواهم'],
    ['\u0001', ''],
  ])('of %j is %j', (text, plain) => {
    expect(plainText(text)).toBe(plain);
  });
});

test.each([
  ['نموذج', true],
  ['2 מודל', true],
  ['GPT نموذج', false],
  ['言葉', false],
  ['…', false],
])('%s is written from right to left: %s', (text, isIt) => {
  expect(isRightToLeft(text)).toBe(isIt);
});

test('a text from right to left leaves the order of the one around it alone, others stay as they are', () => {
  expect([isolated('نموذج'), isolated('GPT')]).toEqual(['\u2068نموذج\u2069', 'GPT']);
});
