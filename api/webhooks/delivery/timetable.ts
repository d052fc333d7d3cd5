import type { Attempt, ClaimedDelivery, DeliveryKind, Settlement } from '../queue/delivery.ts';
import { endedAtMs } from '../queue/endpoint-outcomes.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** From the end of an attempt to the beginning of the next one (specification "Retries"). */
export const RETRY_DELAYS_MS = [MINUTE_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS, 12 * HOUR_MS] as const;

/** Attempts of a delivery at most, whatever it tells; a ping has one. */
export const ATTEMPTS_MAX = RETRY_DELAYS_MS.length + 1;

/** When the attempt after a failed one may begin; undefined: that was the last. */
export function nextAttemptAt(kind: DeliveryKind, attempt: number, endedAt: Date): Date | undefined {
  const delayMs = kind === 'ping' ? undefined : RETRY_DELAYS_MS[attempt - 1];
  return delayMs === undefined ? undefined : new Date(endedAt.getTime() + delayMs);
}

/** What an attempt means for its delivery. */
export function settlementOf({ id, kind, endpointId }: ClaimedDelivery, attempt: Attempt): Settlement {
  const isDelivered = attempt.outcome === 'delivered';
  const nextAt = isDelivered ? undefined : nextAttemptAt(kind, attempt.attempt, new Date(endedAtMs(attempt)));
  return { delivery: { id, kind, endpointId }, attempt, nextAt };
}
