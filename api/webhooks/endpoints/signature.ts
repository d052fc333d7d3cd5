/**
 * How receivers verify deliveries (specification "Signature"). Each attempt is signed with its own time stamp, over the
 * exact bytes of the body:
 *
 *     X-Service-Signature: t=<unix seconds>,v1=<hex HMAC-SHA256 of "t.body">
 *
 * The HMAC key is the UTF-8 secret as shown. Headers of Standard Webhooks are sent too; their key is the decoded base64
 * after `whsec_`.
 */
import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { AppError } from '../../../runtime/errors.ts';

export const SECRET_PREFIX = 'whsec_';
const SECRET_BYTES = 32;

export function secretFromBytes(bytes: Uint8Array): string {
  return `${SECRET_PREFIX}${Buffer.from(bytes).toString('base64')}`;
}

export interface SignedDelivery {
  readonly deliveryId: string;
  readonly body: string;
  readonly secret: string;
  readonly at: Date;
}

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

export function newSecret(): string {
  return secretFromBytes(randomBytes(SECRET_BYTES));
}

/** Between a signature's time stamp and the receiver's clock (specification "Signature"). */
const TOLERANCE_MS = 5 * 60 * 1000;

interface ReceivedDelivery {
  /** The header `X-Service-Signature`. */
  readonly header: string | undefined;
  /** Exactly as received. */
  readonly body: Buffer;
  readonly secret: string;
  readonly now: Date;
}

/** Verifies as a receiver would, without the sender's code; undefined if genuine. For `webhooks listen`. */
export function findSignatureProblem({ header, body, secret, now }: ReceivedDelivery): string | undefined {
  if (header === undefined) return 'the header X-Service-Signature is missing';
  const parts = new Map(header.split(',').map((part) => splitOnce(part, '=')));
  const [time, digest] = [parts.get('t'), parts.get('v1')];
  if (time === undefined || digest === undefined || !/^\d{1,15}$/.test(time))
    return 'X-Service-Signature is not t=…,v1=…';
  if (Math.abs(now.getTime() - Number(time) * 1000) > TOLERANCE_MS)
    return 'the time stamp of the signature is more than 5 minutes off';
  const expected = createHmac('sha256', secret).update(`${time}.`).update(body).digest();
  const found = Buffer.from(digest, 'hex');
  if (found.length === expected.length && timingSafeEqual(found, expected)) return undefined;
  return 'the signature was made with another secret or for another body';
}

function splitOnce(text: string, separator: string): readonly [string, string] {
  const at = text.indexOf(separator);
  return at === -1 ? [text, ''] : [text.slice(0, at).trim(), text.slice(at + 1).trim()];
}

export const SECRET_KEY_BYTES = 32;
const FORMAT = '1';
const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Encrypts signing secrets at rest (AES-256-GCM), so that a copy of the control database signs nothing. The first key
 * encrypts; every key decrypts what it encrypted. After `webhooks reseal` only the first is needed (specification
 * "Secrets at rest").
 *
 * Format: `1.<key id>.<nonce>.<ciphertext and tag>`, the last two in base64url. The endpoint's id is authenticated: a
 * secret moved to another endpoint does not open.
 */
export class SecretKeys {
  readonly #keys: ReadonlyMap<string, Buffer>;
  readonly #sealing: string;

  /** @param keys at least one, 32 bytes each; the first encrypts */
  constructor(keys: readonly Buffer[]) {
    this.#keys = new Map(keys.map((key) => [idOf(key), key]));
    const [first] = this.#keys.keys();
    if (first === undefined) throw new Error('no key to encrypt secrets');
    this.#sealing = first;
  }

  seal(secret: string, endpointId: string): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.#key(this.#sealing, endpointId), nonce, { authTagLength: TAG_BYTES });
    cipher.setAAD(Buffer.from(endpointId));
    const sealed = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    return [FORMAT, this.#sealing, nonce.toString('base64url'), sealed.toString('base64url')].join('.');
  }

  /** Throws `configuration` for an unknown key, `corrupt` for damaged data. */
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

  isCurrent(sealed: string): boolean {
    return sealed.startsWith(`${FORMAT}.${this.#sealing}.`);
  }

  #key(id: string, endpointId: string): Buffer {
    const key = this.#keys.get(id);
    if (key !== undefined) return key;
    const where = 'MODELSTATS_SECRET_KEYS and, without it, the key file beside the database';
    const message = `the signing secret of ${endpointId} was encrypted with the key ${id}, which is not configured (${where}): add that key, or give the endpoint a new secret with modelstats webhooks rotate-secret`;
    throw new AppError('configuration', message);
  }
}

/** Identifies a key without revealing it. */
function idOf(key: Buffer): string {
  return createHash('sha256').update(key).digest('hex').slice(0, 8);
}

function damaged(endpointId: string, cause?: unknown): AppError {
  return new AppError('corrupt', `the signing secret of ${endpointId} is damaged`, { cause });
}
