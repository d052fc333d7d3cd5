import { hash } from 'node:crypto';
import { encodeTime, monotonicFactory } from 'ulid';

const TIME_LENGTH = 10;
/** Of 80 bits, five a character. */
const REST_LENGTH = 16;
/** The digits of a ULID. */
const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** A new ULID, which sorts after each that this process made before. */
export const newUlid: () => string = monotonicFactory();

/** A new id: a prefix, such as `org`, and {@link newUlid}. */
export function newId(prefix: string): string {
  return `${prefix}_${newUlid()}`;
}

/**
 * A ULID that follows from an instant and from words: the same for the same, so that what is written a second time is known as
 * what it is.
 */
export function ulidFromWords(at: Date, words: readonly (string | number)[]): string {
  const bits = BigInt(`0x${hash('sha256', JSON.stringify(words), 'hex').slice(0, 20)}`);
  return encodeTime(at.getTime(), TIME_LENGTH) + base32(bits);
}

function base32(bits: bigint): string {
  let text = '';
  for (let left = bits; text.length < REST_LENGTH; left >>= 5n) text = DIGITS.charAt(Number(left & 31n)) + text;
  return text;
}
