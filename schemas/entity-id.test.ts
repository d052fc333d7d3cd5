import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { entityIdFromKey, keyFromEntityId } from './entity-id.ts';

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
