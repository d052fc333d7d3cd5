import type { SecretKeys } from '../endpoints/secret-keys.ts';
import type { DeliveryKind, Outcome } from '../queue/delivery.ts';
import type { DeliveryQueue } from '../queue/delivery-queue.ts';
import { ANSWER_TIMEOUT_MS, type SendRequest } from './attempt-delivery.ts';

export interface DispatcherOptions {
  /** Attempts under way to one endpoint. More: a receiver that can't cope is pressed harder. */
  readonly perEndpointMax: number;
  /** Attempts under way in all; as many connections. */
  readonly inFlightMax: number;
  /** For a receiver's whole answer. */
  readonly timeoutMs: number;
  /** How long a claim lasts. Longer: what a dispatcher that died had begun is attempted again later. */
  readonly claimMs: number;
  /** Between two looks for what has become due. */
  readonly pollMs: number;
  /** At the end, for attempts under way; those that take longer are made again by the next dispatcher. */
  readonly stopTimeoutMs: number;
}

export const DISPATCHER_OPTIONS: DispatcherOptions = {
  perEndpointMax: 10,
  inFlightMax: 200,
  timeoutMs: ANSWER_TIMEOUT_MS,
  claimMs: 60_000,
  pollMs: 1_000,
  stopTimeoutMs: 12_000,
};

/** For settling an attempt: a claim has to outlast the attempt by this. */
export const SETTLE_MARGIN_MS = 10_000;

export interface DispatcherDeps {
  /** In claims; no two dispatchers have one name, also not one after the other. */
  readonly name: string;
  readonly queue: DeliveryQueue;
  readonly send: SendRequest;
  readonly secrets: Pick<SecretKeys, 'open'>;
  /** Of every request: `modelstats-webhooks/<version>`. */
  readonly userAgent: string;
  readonly clock: () => Date;
  /** Resolves after a time, or as soon as the signal is aborted. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly onEvent: (event: DispatcherEvent) => void;
}

/** What a dispatcher tells of its work. */
export type DispatcherEvent =
  | {
      readonly type: 'attempted';
      readonly deliveryId: string;
      readonly endpointId: string;
      readonly kind: DeliveryKind;
      readonly attempt: number;
      readonly outcome: Outcome;
      readonly status: number | null;
      readonly durationMs: number;
    }
  | { readonly type: 'activated'; readonly endpointId: string }
  | { readonly type: 'revoked'; readonly endpointId: string }
  /** What must not be sent any more was dropped. */
  | { readonly type: 'dropped'; readonly endpointId: string; readonly deliveries: number }
  /** A delivery can't be attempted for a reason of ours, such as a secret that can't be opened: it waits, uncounted. */
  | { readonly type: 'put_off'; readonly endpointId: string; readonly error: unknown }
  /** The database doesn't do its work; tried again after so many milliseconds. */
  | { readonly type: 'trouble'; readonly error: unknown; readonly retryMs: number }
  /** The first turn that worked after trouble. */
  | { readonly type: 'recovered' };
