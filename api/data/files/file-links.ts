import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * Signed addresses for the objects of a file store, which has none of its own (specification "Signed addresses").
 *
 * - `/files/<key>?expires=<unix seconds>&signature=<base64url>`; the signature is HMAC-SHA256 over key, newline, expiry.
 * - Whoever has the address may download until it expires; no key of the API, no quota.
 * - Replicas that serve one audience must share the secret, and a restart with another one ends all addresses.
 */
export class FileLinks {
  readonly #secret: string | Buffer;
  readonly #clock: () => Date;

  constructor(secret: string | Buffer, clock: () => Date) {
    this.#secret = secret;
    this.#clock = clock;
  }

  /** The address of an object, below the service's base URL. */
  sign(key: string, { expiresInSeconds }: { readonly expiresInSeconds: number }): string {
    const expires = Math.floor(this.#clock().getTime() / 1000) + expiresInSeconds;
    return `/files/${key}?expires=${expires}&signature=${this.#signature(key, expires)}`;
  }

  /** True for an address that {@link sign} gave and that hasn't expired. */
  isValid(key: string, expires: string, signature: string): boolean {
    if (!/^\d{1,12}$/.test(expires) || Number(expires) * 1000 <= this.#clock().getTime()) return false;
    const expected = Buffer.from(this.#signature(key, Number(expires)));
    const given = Buffer.from(signature);
    return given.length === expected.length && timingSafeEqual(given, expected);
  }

  #signature(key: string, expires: number): string {
    return createHmac('sha256', this.#secret).update(`${key}\n${expires}`).digest('base64url');
  }
}
