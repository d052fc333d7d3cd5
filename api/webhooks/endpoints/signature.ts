/**
 * How a receiver knows that a delivery comes from this service (specification "Signature"). Every attempt is signed afresh, with
 * its own time stamp, over the exact bytes of the body:
 *
 *     X-Service-Signature: t=<unix seconds>,v1=<hex HMAC-SHA256 of "t.body">
 *
 * Its HMAC key is the UTF-8 bytes of the secret as it was shown. Beside it go the headers of Standard Webhooks, whose key is what
 * the base64 after `whsec_` stands for, so that either kind of library verifies a delivery with the one secret.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';

/** What every secret begins with. */
export const SECRET_PREFIX = 'whsec_';
/** Random bytes of a secret. */
export const SECRET_BYTES = 32;

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
