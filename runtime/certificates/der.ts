/** The values that certificates are made of, in DER (X.690): a tag, the length, the content. */

/** Anything by its tag. */
export function bytes(tag: number, content: Uint8Array | readonly number[]): Buffer {
  const { length } = content;
  const long = length > 0xff ? [0x82, length >> 8, length & 0xff] : [0x81, length];
  return Buffer.concat([Buffer.from([tag, ...(length < 0x80 ? [length] : long)]), Buffer.from(content)]);
}

export const sequence = (...values: readonly Uint8Array[]): Buffer => bytes(0x30, Buffer.concat(values));
export const set = (...values: readonly Uint8Array[]): Buffer => bytes(0x31, Buffer.concat(values));
/** A field of a sequence that is told by its number. */
export const constructed = (number: number, value: Buffer): Buffer => bytes(0xa0 | number, value);
/** By its bytes, the highest below 0x80 for a positive one. */
export const integer = (value: readonly number[]): Buffer => bytes(0x02, value);
export const octets = (value: Buffer): Buffer => bytes(0x04, value);
export const utf8 = (text: string): Buffer => bytes(0x0c, Buffer.from(text));
export const bitString = (value: Uint8Array | readonly number[], unusedBits: number): Buffer =>
  bytes(0x03, [unusedBits, ...value]);
export const TRUE = bytes(0x01, [0xff]);

/** To the second, from 1950 to 2049. */
export function time(at: Date): Buffer {
  const digits = at.toISOString().replace(/\D/g, '').slice(2, 14);
  return bytes(0x17, Buffer.from(`${digits}Z`));
}

/** Of dotted numbers; the first two share a byte, the others have seven bits in each. */
export function objectId(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return bytes(0x06, [40 * first + second, ...rest.flatMap(base128)]);
}

function base128(number: number): readonly number[] {
  const lower = number & 0x7f;
  const higher = number >> 7;
  return higher === 0 ? [lower] : [...base128(higher).map((byte) => byte | 0x80), lower];
}
