/**
 * How a receiver knows that a delivery comes from this service (specification "Signature"). Every attempt is signed afresh, with
 * its own time stamp, over the exact bytes of the body:
 *
 *     X-Service-Signature: t=<unix seconds>,v1=<hex HMAC-SHA256 of "t.body">
 *
 * Its HMAC key is the UTF-8 bytes of the secret as it was shown. Beside it go the headers of Standard Webhooks, whose key is what
 * the base64 after `whsec_` stands for, so that either kind of library verifies a delivery with the one secret.
 */
import { createHmac } from 'node:crypto';

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
