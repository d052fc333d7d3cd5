import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';

/**
 * An API key is `msk_`, 256 random bits as 43 base62 characters, and the CRC32 of those characters as 6 more
 * (specification "API keys"). The prefix lets secret scanners find leaked keys; the checksum shows a mistyped key without asking
 * a database. Only the SHA-256 is stored: with 256 random bits nobody can find a key that has it.
 */
export const API_KEY_PREFIX = 'msk_';
const SECRET_BYTES = 32;
const SECRET_LENGTH = 43;
const CHECKSUM_LENGTH = 6;
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const KEY = new RegExp(`^${API_KEY_PREFIX}([0-9A-Za-z]{${SECRET_LENGTH}})([0-9A-Za-z]{${CHECKSUM_LENGTH}})$`);

/** A new key from 32 random bytes. */
export function apiKeyFromBytes(bytes: Uint8Array): string {
  if (bytes.length !== SECRET_BYTES) throw new TypeError(`a key needs ${SECRET_BYTES} bytes, not ${bytes.length}`);
  const secret = base62FromNumber(BigInt(`0x${Buffer.from(bytes).toString('hex')}`), SECRET_LENGTH);
  return `${API_KEY_PREFIX}${secret}${checksumOf(secret)}`;
}

/** True for a text of the right form, whatever its checksum. */
export function hasFormOfApiKey(text: string): boolean {
  return KEY.test(text);
}

/** True for a text of the right form whose checksum is right, whether or not that key was ever issued. */
export function isApiKey(text: string): boolean {
  const [, secret, checksum] = KEY.exec(text) ?? [];
  return secret !== undefined && checksumOf(secret) === checksum;
}

/** The SHA-256 of a key in hex: how it is stored and looked up. */
export function hashOfApiKey(key: string): string {
  return hash('sha256', key, 'hex');
}

/** What people see of a key after it was issued. */
export function lastFourOf(key: string): string {
  return key.slice(-4);
}

/** A number in base62 (digits, upper, lower case), padded with zeros to `length` characters. */
export function base62FromNumber(number: bigint, length: number): string {
  const characters: string[] = [];
  for (let rest = number; rest > 0n; rest /= 62n) characters.push(ALPHABET.charAt(Number(rest % 62n)));
  return characters.reverse().join('').padStart(length, '0');
}

function checksumOf(secret: string): string {
  return base62FromNumber(BigInt(crc32(secret)), CHECKSUM_LENGTH);
}
