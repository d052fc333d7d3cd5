import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cursorFromSeq, seqFromCursor } from './cursor.ts';

describe('a cursor', () => {
  it('gives back its seq', () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), (seq) => {
        expect(seqFromCursor(cursorFromSeq(seq))).toBe(seq);
      }),
    );
  });

  it('is base64url without padding of the decimal number', () => {
    expect(cursorFromSeq(0)).toBe('MA');
    expect(cursorFromSeq(109)).toBe('MTA5');
    fc.assert(
      fc.property(fc.maxSafeNat(), (seq) => {
        expect(cursorFromSeq(seq)).toMatch(/^[A-Za-z0-9_-]+$/);
      }),
    );
  });

  it('is refused unless it is exactly the text that a seq gives', () => {
    const texts = fc.oneof(
      fc.string(),
      fc.base64String(),
      fc.string().map(encode),
      fc.double().map(String).map(encode),
    );
    fc.assert(
      fc.property(texts, (text) => {
        const seq = seqFromCursor(text);
        expect(seq === undefined || cursorFromSeq(seq) === text).toBe(true);
      }),
    );
  });

  it.each([
    '',
    'MA==',
    ' MA',
    'MA\n',
    '0',
    ...['', '-1', '-0', '+1', '01', '1.0', '1e3', ' 1', '0x1', '9007199254740992'].map(encode),
  ])('is refused where it is %j', (text) => {
    expect(seqFromCursor(text)).toBeUndefined();
  });
});

function encode(text: string): string {
  return Buffer.from(text).toString('base64url');
}
