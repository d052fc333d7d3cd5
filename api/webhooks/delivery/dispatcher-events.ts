import type { DeliveryKind, Outcome } from '../queue/delivery-queue.ts';

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
