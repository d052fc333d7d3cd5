import { createHmac, timingSafeEqual } from 'node:crypto';

/** How far a signature's time stamp may be off, either way (specification "Signature"). */
export const TOLERANCE_MS = 5 * 60 * 1000;

export interface ReceivedDelivery {
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
