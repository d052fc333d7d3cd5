import { z } from 'zod';
import { inUnits, Milliseconds, Seconds, setting, wholeNumber } from '../../../runtime/setting.ts';
import { SECRET_KEY_BYTES, type SecretKeys } from '../endpoints/signature.ts';
import type { DeliveryKind, Outcome } from '../queue/delivery.ts';
import type { DeliveryQueue } from '../queue/delivery-queue.ts';
import { RESPONSE_TIMEOUT_MS, type SendRequest } from './attempt-delivery.ts';

export const DISPATCHER_OPTIONS = {
  /** To one endpoint at once. More strains slow receivers. */
  perEndpointMax: 10,
  /** In all at once, each with a connection. */
  inFlightMax: 200,
  /** For a receiver's whole response. */
  timeoutMs: RESPONSE_TIMEOUT_MS,
  /** Longer: a crashed dispatcher's attempts are repeated later. */
  claimMs: 60_000,
  /** Between two polls for due deliveries. */
  pollMs: 1_000,
  /** At shutdown, for attempts under way; the next dispatcher repeats the rest. */
  stopTimeoutMs: 12_000,
};
export type DispatcherOptions = Readonly<typeof DISPATCHER_OPTIONS>;

/** For settling: a claim must outlast its attempt by this. */
export const SETTLE_MARGIN_MS = 10_000;

export interface DispatcherDeps {
  /** In claims. Unique, also over time. */
  readonly name: string;
  readonly queue: DeliveryQueue;
  readonly send: SendRequest;
  readonly secrets: Pick<SecretKeys, 'open'>;
  readonly userAgent: string;
  readonly clock: () => Date;
  /** Resolves after a time, or once the signal is aborted. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly onEvent: (event: DispatcherEvent) => void;
}

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
  /** Deliveries that must no longer be sent were dropped. */
  | { readonly type: 'dropped'; readonly endpointId: string; readonly deliveries: number }
  /** A delivery waits, uncounted, for a reason of ours, such as a secret that can't be opened. */
  | { readonly type: 'put_off'; readonly endpointId: string; readonly error: unknown }
  /** The database failed; the next try is after `retryMs`. */
  | { readonly type: 'trouble'; readonly error: unknown; readonly retryMs: number }
  /** The first success after trouble. */
  | { readonly type: 'recovered' };

const SecretKeyList = z.string().transform((text, context): readonly Buffer[] =>
  text.split(',').map((part, index) => {
    const key = Buffer.from(part.trim(), 'base64');
    // Never show the key, not even an invalid one.
    if (key.length !== SECRET_KEY_BYTES)
      context.addIssue({ code: 'custom', message: `key ${index + 1} is not base64 of ${SECRET_KEY_BYTES} bytes` });
    return key;
  }),
);

export const SECRET_SETTINGS = {
  keys: setting('SECRET_KEYS', SecretKeyList.optional(), {
    text: "keys that encrypt signing secrets: base64 of 32 bytes each, as `openssl rand -base64 32` prints, comma-separated. The first encrypts, each decrypts what it has encrypted, and the secret of [sessions](#people) derives from the first. On PostgreSQL, webhooks and the console need the same keys in every process; plain `serve` and nights don't",
    documented: 'a file beside the SQLite database, created when first needed',
    shown: 'masked',
  }),
};

export const WEBHOOK_SETTINGS = {
  perEndpointMax: setting('WEBHOOKS_PER_ENDPOINT_MAX', wholeNumber(1, 1_000), {
    fallback: DISPATCHER_OPTIONS.perEndpointMax,
    text: 'attempts of one process to one endpoint at once',
  }),
  inFlightMax: setting('WEBHOOKS_AT_ONCE_MAX', wholeNumber(1, 10_000), {
    fallback: DISPATCHER_OPTIONS.inFlightMax,
    text: 'attempts of one process at once',
  }),
  timeoutMs: setting('WEBHOOKS_TIMEOUT_MS', Milliseconds, {
    fallback: DISPATCHER_OPTIONS.timeoutMs,
    text: "longest wait for an endpoint's whole response; less than 10 seconds breaks the promise to receivers",
  }),
  pollMs: setting('WEBHOOKS_POLL_SECONDS', inUnits(Seconds, 1000), {
    fallback: DISPATCHER_OPTIONS.pollMs / 1000,
    text: 'time between two polls for due deliveries',
  }),
};
