import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ENTITY_TYPES, type EntityType } from '../../../schemas/datasets.ts';
import { FeedIndex } from './feed-index.ts';
import type { Slice } from './text-file.ts';

const feedArbitrary = fc.record({
  firstSeq: fc.integer({ min: 1, max: 9 }),
  events: fc.array(fc.record({ type: fc.nat(ENTITY_TYPES.length - 1), bytes: fc.integer({ min: 1, max: 9 }) }), {
    maxLength: 30,
  }),
  from: fc.nat(50),
  after: fc.nat(45),
  limit: fc.integer({ min: 1, max: 12 }),
  scannedMax: fc.integer({ min: 1, max: 20 }),
  entityType: fc.option(fc.constantFrom(...ENTITY_TYPES), { nil: undefined }),
});

interface Placed {
  readonly seq: number;
  readonly type: EntityType | undefined;
  readonly from: number;
  readonly to: number;
}

test('a range has the events that a scan would find', () => {
  fc.assert(
    fc.property(feedArbitrary, ({ firstSeq, events, from, after: requested, ...rest }) => {
      const { limit, scannedMax, entityType } = rest;
      let at = from;
      const placed = events.map(({ type, bytes }, i): Placed => {
        at += bytes;
        return { seq: firstSeq + i, type: ENTITY_TYPES[type], from: at - bytes, to: at };
      });
      const lastOfAll = firstSeq + events.length - 1;
      const after = Math.max(Math.min(requested, lastOfAll), firstSeq - 1);
      const starts = Float64Array.from([...placed.map((event) => event.from), at]);
      const index = new FeedIndex(
        firstSeq,
        starts,
        Uint8Array.from(events, ({ type }) => type),
      );

      const looked = placed.filter(({ seq }) => seq > after).slice(0, entityType === undefined ? limit : scannedMax);
      const expected = looked.filter(({ type }) => entityType === undefined || type === entityType).slice(0, limit);
      const isFull = expected.length === limit;
      const found = index.find({ after: Math.min(requested, lastOfAll), ...rest });
      expect(found.lastSeq).toBe((isFull ? expected : looked).at(-1)?.seq ?? after);
      expect(bytesOf(found.slices)).toEqual(bytesOf(expected));
      for (const { firstSeq: seq, from: begin } of found.slices)
        expect(expected).toContainEqual(expect.objectContaining({ seq, from: begin }));
    }),
  );
});

function bytesOf(slices: readonly Slice[]): readonly number[] {
  return slices.flatMap(({ from, to }) => Array.from({ length: to - from }, (_, i) => from + i));
}
