import type { Attempt, DeliveryKind } from '../../webhooks/queue/delivery-queue.ts';

export const DELIVERY_KINDS_SHOWN: Readonly<Record<DeliveryKind, string>> = {
  event: 'event',
  replay: 'sent again',
  ping: 'ping',
};

/** An attempt in a few words. */
export function describeAttempt(attempt: Attempt | null): string {
  if (attempt === null) return 'not attempted yet';
  const { outcome, status, message, durationMs } = attempt;
  if (outcome === 'delivered') return `answered ${status} in ${Math.round(durationMs)} ms`;
  return message ?? (status === null ? outcome : `${outcome} ${status}`);
}
