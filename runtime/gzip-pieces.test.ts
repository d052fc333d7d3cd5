import { constants, crc32, deflateRawSync, gunzipSync, inflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bytesOf, deflateText, gzipPieces, type Piece, plainPieces } from './gzip-pieces.ts';

const textArbitrary = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 50 }),
  // Longer than one stored block, and longer than a window of DEFLATE.
  fc
    .tuple(fc.string({ unit: 'binary', minLength: 1, maxLength: 40 }), fc.integer({ min: 1, max: 3000 }))
    .map(([text, times]) => text.repeat(times)),
);

async function piecesOf(parts: readonly (readonly [string, boolean])[]): Promise<readonly Piece[]> {
  return Promise.all(
    parts.map(([text, isDeflated]) => (isDeflated ? deflateText(Buffer.from(text)) : Buffer.from(text))),
  );
}

test('pieces are one gzip member with the text of all of them, in order', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(textArbitrary, fc.boolean()), { maxLength: 8 }), async (parts) => {
      const pieces = await piecesOf(parts);
      const text = Buffer.from(parts.map(([part]) => part).join(''));
      const body = Buffer.concat(await gzipPieces(pieces));
      expect(bytesOf(pieces)).toBe(text.length);
      expect(Buffer.concat(plainPieces(pieces)).equals(text)).toBe(true);
      expect(gunzipSync(body).equals(text)).toBe(true);
      // Not several members, which some clients stop after: all of it is one DEFLATE stream, followed by its CRC and length.
      expect(inflateRawSync(body.subarray(10, -8)).equals(text)).toBe(true);
      expect([body.readUInt32LE(body.length - 8), body.readUInt32LE(body.length - 4)]).toEqual([
        crc32(text),
        text.length,
      ]);
    }),
  );
});

test('a piece that is not what it was is refused by whoever unpacks the body', async () => {
  const text = Buffer.from('the text of a piece, '.repeat(100));
  const piece = await deflateText(text);
  const other = deflateRawSync(Buffer.from(String(text).replace('piece', 'peace')), {
    finishFlush: constants.Z_SYNC_FLUSH,
  });
  const body = Buffer.concat(await gzipPieces([Buffer.from('['), { ...piece, deflated: other }, Buffer.from(']')]));
  expect(() => gunzipSync(body)).toThrow('incorrect data check');
});
