import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';

const SECRET_BYTES = 32;
const SECRET_LENGTH = 43;
const CHECKSUM_LENGTH = 6;
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/**
 * The form of what callers prove themselves with: a prefix, 256 random bits as 43 base62 characters, and the CRC32 of those characters
 * as 6 more. The prefix lets secret scanners find what leaked; the checksum shows a mistyped one without asking a database. Only the
 * SHA-256 is stored: with 256 random bits nobody can find a text that has it.
 */
export class TokenForm {
  readonly prefix: string;
  readonly #form: RegExp;

  constructor(prefix: string) {
    this.prefix = prefix;
    this.#form = new RegExp(`^${prefix}([0-9A-Za-z]{${SECRET_LENGTH}})([0-9A-Za-z]{${CHECKSUM_LENGTH}})$`);
  }

  /** A new one from 32 random bytes. */
  fromBytes(bytes: Uint8Array): string {
    if (bytes.length !== SECRET_BYTES) throw new TypeError(`a token needs ${SECRET_BYTES} bytes, not ${bytes.length}`);
    const secret = base62FromNumber(BigInt(`0x${Buffer.from(bytes).toString('hex')}`), SECRET_LENGTH);
    return `${this.prefix}${secret}${checksumOf(secret)}`;
  }

  /** True for a text of the right form, whatever its checksum. */
  has(text: string): boolean {
    return this.#form.test(text);
  }

  /** True for a text of the right form whose checksum is right, whether or not it was ever issued. */
  isProper(text: string): boolean {
    const [, secret, checksum] = this.#form.exec(text) ?? [];
    return secret !== undefined && checksumOf(secret) === checksum;
  }
}

/** API keys (specification "API keys"). */
export const API_KEYS = new TokenForm('msk_');
/** Access tokens of connections (specification "Connected programs"): no API key has this form, and the logs hide both alike. */
export const ACCESS_TOKENS = new TokenForm('msk_mcp_');
/** What a connection gets its next access token with. */
export const REFRESH_TOKENS = new TokenForm('msk_refresh_');

/** The SHA-256 of a key or token in hex: how it is stored and looked up. */
export function hashOfToken(token: string): string {
  return hash('sha256', token, 'hex');
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
