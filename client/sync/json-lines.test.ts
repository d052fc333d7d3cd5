import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compareKeys } from './json-lines.ts';

/** Characters whose order in UTF-16 is not that of their UTF-8. */
const text = fc.string({ unit: fc.constantFrom('a', 'B', 'é', '￿', '', '𐀀', '😀', '言', '/'), maxLength: 4 });

test('keys are ordered part by part, by the bytes of their UTF-8', () => {
  fc.assert(
    fc.property(fc.tuple(text, text), fc.tuple(text, text), (a, b) => {
      const [first, second] = [0, 1].map((part) =>
        Buffer.compare(Buffer.from(a[part] ?? ''), Buffer.from(b[part] ?? '')),
      );
      expect(Math.sign(compareKeys(a, b))).toBe(first === 0 ? second : first);
    }),
  );
});
