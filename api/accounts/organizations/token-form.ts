import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';

const SECRET_BYTES = 32;
const SECRET_LENGTH = 43;
const CHECKSUM_LENGTH = 6;
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/**
 * A prefix, 256 random bits as 43 base62 characters, and their CRC32 as 6. Secret scanners find the prefix; the
 * checksum detects typing errors. Only the SHA-256 is stored.
 */
export class TokenForm {
  readonly prefix: string;
  readonly #form: RegExp;

  constructor(prefix: string) {
    this.prefix = prefix;
    this.#form = new RegExp(`^${prefix}([0-9A-Za-z]{${SECRET_LENGTH}})([0-9A-Za-z]{${CHECKSUM_LENGTH}})$`);
  }

  /** A new token from 32 random bytes. */
  fromBytes(bytes: Uint8Array): string {
    if (bytes.length !== SECRET_BYTES) throw new TypeError(`a token needs ${SECRET_BYTES} bytes, not ${bytes.length}`);
    const secret = base62FromNumber(BigInt(`0x${Buffer.from(bytes).toString('hex')}`), SECRET_LENGTH);
    return `${this.prefix}${secret}${checksumOf(secret)}`;
  }

  /** Ignores the checksum. */
  has(text: string): boolean {
    return this.#form.test(text);
  }

  /** Includes the checksum. */
  isProper(text: string): boolean {
    const [, secret, checksum] = this.#form.exec(text) ?? [];
    return secret !== undefined && checksumOf(secret) === checksum;
  }
}

/** API keys (specification "API keys"). */
export const API_KEYS = new TokenForm('msk_');
/** Access tokens of connections (specification "Connected programs"). No API key has this format; logs redact both. */
export const ACCESS_TOKENS = new TokenForm('msk_mcp_');
export const REFRESH_TOKENS = new TokenForm('msk_refresh_');

/** SHA-256 in hex. */
export function hashOfToken(token: string): string {
  return hash('sha256', token, 'hex');
}

export function lastFourOf(key: string): string {
  return key.slice(-4);
}

/** Base62 (digits, upper, lower case), padded with zeros to `length`. */
export function base62FromNumber(number: bigint, length: number): string {
  const characters: string[] = [];
  for (let rest = number; rest > 0n; rest /= 62n) characters.push(ALPHABET.charAt(Number(rest % 62n)));
  return characters.reverse().join('').padStart(length, '0');
}

function checksumOf(secret: string): string {
  return base62FromNumber(BigInt(crc32(secret)), CHECKSUM_LENGTH);
}
