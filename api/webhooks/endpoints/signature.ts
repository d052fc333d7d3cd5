/**
 * How a receiver knows that a delivery comes from this service (specification "Signature"). Every attempt is signed afresh, with
 * its own time stamp, over the exact bytes of the body:
 *
 *     X-Service-Signature: t=<unix seconds>,v1=<hex HMAC-SHA256 of "t.body">
 *
 * Its HMAC key is the UTF-8 bytes of the secret as it was shown. Beside it go the headers of Standard Webhooks, whose key is what
 * the base64 after `whsec_` stands for, so that either kind of library verifies a delivery with the one secret.
 */
import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { AppError } from '../../../runtime/errors.ts';

/** What every secret begins with. */
export const SECRET_PREFIX = 'whsec_';
/** Random bytes of a secret. */
const SECRET_BYTES = 32;

/** A secret as it is shown once: `whsec_` and base64 of 32 random bytes. */
export function secretFromBytes(bytes: Uint8Array): string {
  return `${SECRET_PREFIX}${Buffer.from(bytes).toString('base64')}`;
}

export interface SignedDelivery {
  readonly deliveryId: string;
  /** Exactly what is sent. */
  readonly body: string;
  readonly secret: string;
  readonly at: Date;
}

/** The headers that sign one attempt, for all schemes. */
export function signatureHeaders({ deliveryId, body, secret, at }: SignedDelivery): Readonly<Record<string, string>> {
  const seconds = Math.floor(at.getTime() / 1000);
  const digest = createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex');
  const standardKey = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
  const standard = createHmac('sha256', standardKey).update(`${deliveryId}.${seconds}.${body}`).digest('base64');
  return {
    'x-service-signature': `t=${seconds},v1=${digest}`,
    'webhook-id': deliveryId,
    'webhook-timestamp': String(seconds),
    'webhook-signature': `v1,${standard}`,
  };
}

/** A secret for a new endpoint, or a new one for one that has some. */
export function newSecret(): string {
  return secretFromBytes(randomBytes(SECRET_BYTES));
}

/** How far a signature's time stamp may be off, either way (specification "Signature"). */
const TOLERANCE_MS = 5 * 60 * 1000;

interface ReceivedDelivery {
  /** The header `X-Service-Signature`. */
  readonly header: string | undefined;
  /** Exactly what arrived. */
  readonly body: Buffer;
  readonly secret: string;
  readonly now: Date;
}

/**
 * What a receiver does with `X-Service-Signature`; undefined where the delivery is genuine, else why it is not. It shares nothing
 * with signing but the scheme: `webhooks listen` is a receiver like any other.
 */
export function findSignatureProblem({ header, body, secret, now }: ReceivedDelivery): string | undefined {
  if (header === undefined) return 'there is no X-Service-Signature';
  const parts = new Map(header.split(',').map((part) => splitOnce(part, '=')));
  const [time, digest] = [parts.get('t'), parts.get('v1')];
  if (time === undefined || digest === undefined || !/^\d{1,15}$/.test(time))
    return 'X-Service-Signature is no t=…,v1=…';
  if (Math.abs(now.getTime() - Number(time) * 1000) > TOLERANCE_MS) return 'the signature is older than 5 minutes';
  const expected = createHmac('sha256', secret).update(`${time}.`).update(body).digest();
  const found = Buffer.from(digest, 'hex');
  if (found.length === expected.length && timingSafeEqual(found, expected)) return undefined;
  return 'the signature is of another secret or another body';
}

function splitOnce(text: string, separator: string): readonly [string, string] {
  const at = text.indexOf(separator);
  return at === -1 ? [text, ''] : [text.slice(0, at).trim(), text.slice(at + 1).trim()];
}

/** Bytes of a key. */
export const SECRET_KEY_BYTES = 32;
const FORMAT = '1';
const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Signing secrets at rest: AES-256-GCM under a key of the operator's, so that a copy of the control database alone signs nothing.
 * Several keys may be known: the first seals, every one opens what it sealed, and `webhooks reseal` brings all secrets under the first,
 * after which the others may go (specification "Secrets at rest").
 *
 * A sealed secret is `1.<key id>.<nonce>.<ciphertext and tag>`, the last two in base64url. The endpoint's id is authenticated with it: a
 * sealed secret moved to another endpoint does not open.
 */
export class SecretKeys {
  readonly #keys: ReadonlyMap<string, Buffer>;
  readonly #sealing: string;

  /** @param keys 32 bytes each, the one that seals first; at least one */
  constructor(keys: readonly Buffer[]) {
    this.#keys = new Map(keys.map((key) => [idOf(key), key]));
    const [first] = this.#keys.keys();
    if (first === undefined) throw new Error('no key for secrets');
    this.#sealing = first;
  }

  seal(secret: string, endpointId: string): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.#key(this.#sealing, endpointId), nonce, { authTagLength: TAG_BYTES });
    cipher.setAAD(Buffer.from(endpointId));
    const sealed = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    return [FORMAT, this.#sealing, nonce.toString('base64url'), sealed.toString('base64url')].join('.');
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
