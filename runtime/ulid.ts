import { hash } from 'node:crypto';
import { encodeTime, monotonicFactory } from 'ulid';

const TIME_LENGTH = 10;
/** 80 bits, five a character. */
const REST_LENGTH = 16;
const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** A ULID that sorts after all that this process made before. */
export const newUlid: () => string = monotonicFactory();

export function newId(prefix: string): string {
  return `${prefix}_${newUlid()}`;
}

/** A ULID derived from an instant and parts: the same input gives the same id, so repeated writes are recognized. */
export function ulidFromParts(at: Date, parts: readonly (string | number)[]): string {
  const bits = BigInt(`0x${hash('sha256', JSON.stringify(parts), 'hex').slice(0, 20)}`);
  return encodeTime(at.getTime(), TIME_LENGTH) + base32(bits);
}

function base32(bits: bigint): string {
  let text = '';
  for (let left = bits; text.length < REST_LENGTH; left >>= 5n) text = DIGITS.charAt(Number(left & 31n)) + text;
  return text;
}
