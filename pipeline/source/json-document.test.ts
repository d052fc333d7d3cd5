import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findJsonFault } from './json-document.ts';

describe('what is wrong with JSON', () => {
  it.each([
    ['', 'it ends too early'],
    ['{"a":1', 'it ends too early'],
    ['{"a":"b', 'the string that begins at character 6 is unterminated'],
    ['{a:1}', 'character 2 is an unexpected "a"'],
    ['{"a" 1}', 'character 6 is an unexpected "1"'],
    ['{"a":1,}', 'character 8 is an unexpected "}"'],
    ['{"a":1]', 'character 7 is an unexpected "]"'],
    ['[1,]', 'character 4 is an unexpected "]"'],
    ['[01]', 'character 2 is an unexpected "0"'],
    ['[truest]', 'character 2 is an unexpected "t"'],
    ['{} {}', 'character 4 is an unexpected "{"'],
    ['["\\x"]', 'character 3 is an unexpected "\\\\"'],
    ['["\t"]', 'character 3 is an unexpected "\\t"'],
    ['<html>', 'character 1 is an unexpected "<"'],
    ['[🎉]', 'character 2 is an unexpected "🎉"'],
  ])('is said of %j by our own words', (text, fault) => {
    expect(findJsonFault(text)).toBe(fault);
  });

  it('is nothing exactly where JSON.parse takes the text, whatever happens to it', () => {
    const damaged = fc
      .tuple(fc.json(), fc.nat(), fc.nat(3), fc.stringMatching(/^[[\]{}:,"\\0-9eE.+\-tfn ]{0,3}$/))
      .map(([text, at, removed, added]) => {
        const start = at % (text.length + 1);
        return text.slice(0, start) + added + text.slice(start + removed);
      });
    fc.assert(
      fc.property(damaged, (text) => {
        expect(findJsonFault(text) === undefined).toBe(isJson(text));
      }),
      { numRuns: 5000 },
    );
  });

  it('is found at any depth and in any length', () => {
    expect(findJsonFault('['.repeat(1_000_000))).toBe('it ends too early');
    expect(findJsonFault(`"${'\\n'.repeat(1_000_000)}`)).toBe('the string that begins at character 1 is unterminated');
  });
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
