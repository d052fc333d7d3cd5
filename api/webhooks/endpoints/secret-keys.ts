/**
 * Signing secrets at rest: AES-256-GCM under a key of the operator's, so that a copy of the control database alone signs nothing.
 * Several keys may be known: the first seals, every one opens what it sealed, and `webhooks reseal` brings all secrets under the
 * first, after which the others may go (specification "Secrets at rest").
 *
 * A sealed secret is `1.<key id>.<nonce>.<ciphertext and tag>`, the last two in base64url. The endpoint's id is authenticated
 * with it: a sealed secret moved to another endpoint does not open.
 */
import { createCipheriv, createDecipheriv, createHash } from 'node:crypto';
import { AppError } from '../../../runtime/errors.ts';

/** Bytes of a key. */
export const SECRET_KEY_BYTES = 32;
const FORMAT = '1';
const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export class SecretKeys {
  readonly #keys: ReadonlyMap<string, Buffer>;
  readonly #sealing: string;
  readonly #random: (bytes: number) => Uint8Array;

  /** @param keys 32 bytes each, the one that seals first; at least one */
  constructor(keys: readonly Buffer[], random: (bytes: number) => Uint8Array) {
    this.#keys = new Map(keys.map((key) => [idOf(key), key]));
    const [first] = this.#keys.keys();
    if (first === undefined) throw new Error('no key for secrets');
    this.#sealing = first;
    this.#random = random;
  }

  seal(secret: string, endpointId: string): string {
    const nonce = this.#random(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.#key(this.#sealing, endpointId), nonce, { authTagLength: TAG_BYTES });
    cipher.setAAD(Buffer.from(endpointId));
    const sealed = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    return [FORMAT, this.#sealing, Buffer.from(nonce).toString('base64url'), sealed.toString('base64url')].join('.');
  }

  /** Throws `configuration` where the key is not among those that are known, and `corrupt` where it is not what was sealed. */
  open(sealed: string, endpointId: string): string {
    const [format, keyId = '', nonce = '', text = ''] = sealed.split('.');
    if (format !== FORMAT) throw damaged(endpointId);
    const key = this.#key(keyId, endpointId);
    const bytes = Buffer.from(text, 'base64url');
    try {
      const decipher = createDecipheriv(CIPHER, key, Buffer.from(nonce, 'base64url'), { authTagLength: TAG_BYTES });
      decipher.setAAD(Buffer.from(endpointId));
      decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
      return Buffer.concat([decipher.update(bytes.subarray(0, -TAG_BYTES)), decipher.final()]).toString('utf8');
    } catch (cause) {
      throw damaged(endpointId, cause);
    }
  }

  /** True for what the first key has sealed. */
  isCurrent(sealed: string): boolean {
    return sealed.startsWith(`${FORMAT}.${this.#sealing}.`);
  }

  #key(id: string, endpointId: string): Buffer {
    const key = this.#keys.get(id);
    if (key !== undefined) return key;
    const where = 'MODELSTATS_SECRET_KEYS and, without it, the key file beside the database';
    const message = `the signing secret of ${endpointId} was encrypted with the key ${id}, which is not known here (${where}); modelstats webhooks rotate-secret gives the endpoint a new one`;
    throw new AppError('configuration', message);
  }
}

/** Names a key without telling it. */
function idOf(key: Buffer): string {
  return createHash('sha256').update(key).digest('hex').slice(0, 8);
}

function damaged(endpointId: string, cause?: unknown): AppError {
  return new AppError('corrupt', `the signing secret of ${endpointId} is damaged`, { cause });
}
