import { z } from 'zod';
import { inUnits, Milliseconds, Seconds, setting, wholeNumber } from '../../../runtime/setting.ts';
import { SECRET_KEY_BYTES, type SecretKeys } from '../endpoints/signature.ts';
import type { DeliveryKind, Outcome } from '../queue/delivery.ts';
import type { DeliveryQueue } from '../queue/delivery-queue.ts';
import { ANSWER_TIMEOUT_MS, type SendRequest } from './attempt-delivery.ts';

export const DISPATCHER_OPTIONS = {
  /** Attempts under way to one endpoint. More: a receiver that can't cope is pressed harder. */
  perEndpointMax: 10,
  /** Attempts under way in all; as many connections. */
  inFlightMax: 200,
  /** For a receiver's whole answer. */
  timeoutMs: ANSWER_TIMEOUT_MS,
  /** How long a claim lasts. Longer: what a dispatcher that died had begun is attempted again later. */
  claimMs: 60_000,
  /** Between two looks for what has become due. */
  pollMs: 1_000,
  /** At the end, for attempts under way; those that take longer are made again by the next dispatcher. */
  stopTimeoutMs: 12_000,
};
export type DispatcherOptions = Readonly<typeof DISPATCHER_OPTIONS>;

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

/** Keys in base64, separated by commas. */
const SecretKeyList = z.string().transform((text, context): readonly Buffer[] =>
  text.split(',').map((part, index) => {
    const key = Buffer.from(part.trim(), 'base64');
    // The key itself is never told, not even where it is wrong.
    if (key.length !== SECRET_KEY_BYTES)
      context.addIssue({ code: 'custom', message: `key ${index + 1} is not base64 of ${SECRET_KEY_BYTES} bytes` });
    return key;
  }),
);

/** Of secrets at rest. */
export const SECRET_SETTINGS = {
  keys: setting('SECRET_KEYS', SecretKeyList.optional(), {
    text: "keys that encrypt signing secrets: base64 of 32 bytes each, as `openssl rand -base64 32` prints, comma-separated. The first encrypts, each decrypts what it has encrypted, and the secret of [sessions](#people) derives from the first. On PostgreSQL, webhooks and the console need the same keys in every process; plain `serve` and nights don't",
    documented: 'a file beside the SQLite database, created when first needed',
    shown: 'masked',
  }),
};

/** Of the dispatcher. */
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
