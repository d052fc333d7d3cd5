import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ChangeSchema, cursorFromSeq, entityIdFromKey, seqFromCursor } from './change.ts';

describe('a cursor', () => {
  it('is base64url without padding of the decimal number, and gives back its seq', () => {
    expect([0, 109].map(cursorFromSeq)).toEqual(['MA', 'MTA5']);
    fc.assert(
      fc.property(fc.maxSafeNat(), (seq) => {
        expect(cursorFromSeq(seq)).toMatch(/^[A-Za-z0-9_-]+$/);
        expect(seqFromCursor(cursorFromSeq(seq))).toBe(seq);
      }),
    );
  });

  it('is refused unless it is exactly the text that a seq gives', () => {
    const encoded = fc.oneof(fc.string(), fc.double().map(String)).map(encode);
    const texts = fc.oneof(fc.string(), fc.base64String(), encoded);
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

it('an entity id joins the parts of a key with colons and leaves every character as it is', () => {
  expect(entityIdFromKey(['@edge/quill/q7:free', 'safety:eu/v2'])).toBe('@edge/quill/q7:free:safety:eu/v2');
  expect(entityIdFromKey(['100%-open', 'Größe'])).toBe('100%-open:Größe');
  expect(entityIdFromKey(['a%3Ab'])).toBe('a%3Ab');
});

const event = {
  seq: 1,
  occurred_on: '2026-06-01',
  entity_type: 'score',
  entity_id: 'a:b:c',
  key: { model_id: 'a:b', benchmark_id: 'c' },
  op: 'delete',
  data: null,
  schema_version: '1.0',
};

it("an event's key has exactly the parts of one kind of record", () => {
  expect(ChangeSchema.safeParse(event).error).toBeUndefined();
  expect(ChangeSchema.safeParse({ ...event, key: { id: 'a' } }).error).toBeUndefined();
  for (const key of [{}, { model_id: 'a' }, { ...event.key, provider: 'p' }, { id: 7 }]) {
    expect(ChangeSchema.safeParse({ ...event, key }).success).toBe(false);
  }
});
