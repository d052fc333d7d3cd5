import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readFields, textFrom } from './json-text.ts';

const records = fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue());

test('any object gives its fields as they are, and where it ends', () => {
  fc.assert(
    fc.property(records, fc.jsonValue(), (record, other) => {
      const [before, json] = [JSON.stringify(other), JSON.stringify(record)];
      const found: [string, unknown][] = [];
      const end = readFields(`[${before},${json},${before}]`, before.length + 2, (name, value) =>
        found.push([name, JSON.parse(value)]),
      );
      expect(end).toBe(before.length + 2 + json.length);
      expect(found).toEqual(Object.entries(JSON.parse(json)));
    }),
  );
});

test('any JSON string gives its text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(textFrom(JSON.stringify(text))).toBe(text);
    }),
  );
});
