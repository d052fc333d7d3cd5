import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cutText, lettersOf } from './badge.ts';
import { plainText } from './plain-text.ts';

describe('a cut text', () => {
  test.each([
    ['short', 5, 'short'],
    ['longer', 5, 'long…'],
    ['a word', 3, 'a…'],
    ['言葉です', 8, '言葉です'],
    ['言葉です', 7, '言葉で…'],
    ['言葉です', 6, '言葉…'],
    ['ab👩‍👩‍👧‍👦cd', 5, 'ab👩‍👩‍👧‍👦…'],
    ['ab👩‍👩‍👧‍👦cd', 4, 'ab…'],
    ['née née', 4, 'née…'],
    ['🇩🇪🇫🇷🇯🇵', 5, '🇩🇪🇫🇷…'],
    ['', 5, ''],
  ])('of %j within %i columns is %j', (text, columns, cut) => {
    expect(cutText(text, columns)).toBe(cut);
  });

  test('marks that are heaped on a letter are left out, however many there are', () => {
    expect(cutText(`a${'\u0301'.repeat(50_000)}b`, 5)).toBe('ab');
  });

  test('is a beginning of the letters, whole ones, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), fc.integer({ min: 2, max: 40 }), (text, columns) => {
        const plain = plainText(text);
        const cut = cutText(plain, columns);
        expect(cut.isWellFormed()).toBe(true);
        const letters = [...lettersOf(plain)];
        expect(letters.length <= columns || cut.endsWith('…')).toBe(true);
        expect(letters.join('').startsWith(cut.replace(/…$/, ''))).toBe(true);
      }),
    );
  });
});
