import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cursorFromSeq, entityIdFromKey, keyFromEntityId, seqFromCursor } from './change.ts';

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

/** Texts rich in what the encoding is about. */
const part = fc.oneof(
  fc.string({ minLength: 1, unit: 'binary' }),
  fc.string({ minLength: 1, unit: fc.constantFrom('%', ':', '2', '5', '3', 'A', 'a', '/', '@') }),
);
const key = fc.array(part, { minLength: 1, maxLength: 2 });

describe('an entity id', () => {
  it('joins the parts of a key with colons, and leaves everything but % and : as it is', () => {
    expect(entityIdFromKey(['@edge/quill/q7:free', 'safety:eu/v2'])).toBe('@edge/quill/q7%3Afree:safety%3Aeu/v2');
    expect(entityIdFromKey(['100%-open', 'Größe'])).toBe('100%25-open:Größe');
  });

  it('always splits into the key it was made of', () => {
    fc.assert(
      fc.property(key, (parts) => {
        expect(keyFromEntityId(entityIdFromKey(parts))).toEqual(parts);
      }),
    );
  });

  it('differs where the keys differ', () => {
    fc.assert(
      fc.property(key, key, (a, b) => {
        expect(entityIdFromKey(a) === entityIdFromKey(b)).toBe(JSON.stringify(a) === JSON.stringify(b));
      }),
    );
  });

  it('has one colon less than the key has parts', () => {
    fc.assert(
      fc.property(key, (parts) => {
        expect(entityIdFromKey(parts).split(':')).toHaveLength(parts.length);
      }),
    );
  });
});
