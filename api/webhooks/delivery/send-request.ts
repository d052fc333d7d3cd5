import type { Outcome } from '../queue/delivery.ts';

/** One request to an address that a customer supplied. */
export interface OutgoingRequest {
  readonly method: 'POST';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** For the whole answer, from the beginning. */
  readonly timeoutMs: number;
  /** Of the answer's body; more is cut. */
  readonly answerBytesMax: number;
  readonly signal?: AbortSignal;
}

export type RequestResult =
  | { readonly kind: 'answer'; readonly status: number; readonly body: Uint8Array; readonly durationMs: number }
  | {
      readonly kind: 'failure';
      readonly reason: Exclude<Outcome, 'delivered' | 'status'>;
      readonly message: string;
      /** Of an answer that is not taken, as a redirect is not. */
      readonly status?: number | undefined;
      readonly durationMs: number;
    };

/** Sends a request through the guard of outgoing requests; resolves also where it failed. */
export type SendRequest = (request: OutgoingRequest) => Promise<RequestResult>;
