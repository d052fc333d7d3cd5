import { timestampFromDate } from '../../../runtime/day.ts';
import { signatureHeaders } from '../endpoints/signature.ts';
import {
  type Attempt,
  type ClaimedDelivery,
  type DeliveredEvent,
  type DeliveryKind,
  endedAtMs,
  type Outcome,
  type Settlement,
} from '../queue/delivery.ts';

/** For a receiver's whole response (specification "Delivery"). */
export const RESPONSE_TIMEOUT_MS = 10_000;
/** Of the response, stored for display. */
export const RESPONSE_BYTES_MAX = 1024;

/** One request to an address that a customer supplied. */
export interface OutgoingRequest {
  readonly method: 'POST';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** For the whole response, from the start. */
  readonly timeoutMs: number;
  /** Of the response's body; the rest is cut. */
  readonly responseBytesMax: number;
  readonly signal?: AbortSignal;
}

export type RequestResult =
  | { readonly kind: 'response'; readonly status: number; readonly body: Uint8Array; readonly durationMs: number }
  | {
      readonly kind: 'failure';
      readonly reason: Exclude<Outcome, 'delivered' | 'status'>;
      readonly message: string;
      /** Of a response that is refused, such as a redirect. */
      readonly status?: number | undefined;
      readonly durationMs: number;
    };

/** Failures resolve too. */
export type SendRequest = (request: OutgoingRequest) => Promise<RequestResult>;

export interface AttemptDeps {
  readonly send: SendRequest;
  readonly clock: () => Date;
  readonly userAgent: string;
  readonly timeoutMs: number;
}

export interface AttemptTarget {
  readonly url: string;
  readonly secret: string;
  /** Abandons the attempt, which then does not count. */
  readonly signal: AbortSignal;
}

/** A 2xx in time means delivered; failures resolve too. */
export async function attemptDelivery(
  delivery: ClaimedDelivery,
  { url, secret, signal }: AttemptTarget,
  { send, clock, userAgent, timeoutMs }: AttemptDeps,
): Promise<Attempt> {
  const body = deliveryBody(delivery.event);
  const startedAt = clock();
  const headers = {
    'content-type': 'application/json',
    'user-agent': userAgent,
    'x-service-event': delivery.event.topic,
    'x-service-delivery': delivery.id,
    ...signatureHeaders({ deliveryId: delivery.id, body, secret, at: startedAt }),
  };
  const result = await send({
    method: 'POST',
    url,
    headers,
    body,
    timeoutMs,
    responseBytesMax: RESPONSE_BYTES_MAX,
    signal,
  });
  return {
    attempt: delivery.attempt,
    startedAt,
    durationMs: Math.max(0, Math.round(result.durationMs)),
    ...outcomeOf(result),
  };
}

/** The same bytes in every attempt (specification "Delivery"). */
export function deliveryBody({ id, topic, occurredAt, data }: DeliveredEvent): string {
  const [idText, topicText, atText] = [id, topic, timestampFromDate(occurredAt)].map((text) => JSON.stringify(text));
  return `{"id":${idText},"topic":${topicText},"occurred_at":${atText},"data":${data}}`;
}

function outcomeOf(result: RequestResult): Pick<Attempt, 'outcome' | 'status' | 'message' | 'answer'> {
  switch (result.kind) {
    case 'response': {
      const isDelivered = result.status >= 200 && result.status < 300;
      const answer = textFromResponse(result.body);
      return isDelivered
        ? { outcome: 'delivered', status: result.status, message: null, answer }
        : { outcome: 'status', status: result.status, message: `the response was ${result.status}`, answer };
    }
    case 'failure':
      return { outcome: result.reason, status: result.status ?? null, message: result.message, answer: null };
  }
}

/** Replaces invalid UTF-8, and NUL, which databases refuse. */
export function textFromResponse(body: Uint8Array): string | null {
  if (body.length === 0) return null;
  const decoder = new TextDecoder();
  // Leaves out a character that the limit cuts in two.
  const text = decoder.decode(body.subarray(0, RESPONSE_BYTES_MAX), { stream: true });
  return text.replaceAll('\0', '\uFFFD');
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** From the end of an attempt to the next one (specification "Retries"). */
export const RETRY_DELAYS_MS = [MINUTE_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS, 12 * HOUR_MS] as const;

/** Of an event or replay; a ping has one. */
export const ATTEMPTS_MAX = RETRY_DELAYS_MS.length + 1;

/** Undefined after the last attempt. */
function nextAttemptAt(kind: DeliveryKind, attempt: number, endedAt: Date): Date | undefined {
  const delayMs = kind === 'ping' ? undefined : RETRY_DELAYS_MS[attempt - 1];
  return delayMs === undefined ? undefined : new Date(endedAt.getTime() + delayMs);
}

export function settlementOf({ id, kind, endpointId }: ClaimedDelivery, attempt: Attempt): Settlement {
  const isDelivered = attempt.outcome === 'delivered';
  const nextAt = isDelivered ? undefined : nextAttemptAt(kind, attempt.attempt, new Date(endedAtMs(attempt)));
  return { delivery: { id, kind, endpointId }, attempt, nextAt };
}
