import { type Awaitable, whenThere } from '../../../runtime/awaitable.ts';
import type { HealthProblem } from '../../../runtime/health-problem.ts';

/** Whose limit it is: the organization's burst limit, or that of one key on one route. */
export type BurstScope = 'organization' | 'route';

/** A rolling limit of requests per minute; every hit counts, refused ones too (specification "Burst limit"). */
export class RateLimiter {
  readonly #counter: WindowCounter;
  readonly #clock: () => Date;
  readonly #scope: BurstScope;

  /** Limiters of different scopes share a counter without sharing counts. */
  constructor(counter: WindowCounter, clock: () => Date, scope: BurstScope) {
    this.#counter = counter;
    this.#clock = clock;
    this.#scope = scope;
  }

  hit(name: string, how: { readonly limit: number; readonly isEnforced: boolean }): Awaitable<BurstState> {
    const { limit, isEnforced } = how;
    return whenThere(this.#counter.hit(`${this.#scope}:${name}`, limit), (window) =>
      burstStateFrom(window, { limit, isEnforced, scope: this.#scope, nowMs: this.#clock().getTime() }),
    );
  }
}

/** Where a caller stands after a hit. */
export interface BurstState {
  /** More hits than the limit within the window, and limits are enforced. */
  readonly refused: boolean;
  readonly scope: BurstScope;
  readonly limit: number;
  /** Hits that are allowed now; 0 at least. */
  readonly remaining: number;
  /** Unix seconds at which more hits will be allowed than now, if there are none until then. */
  readonly resetAt: number;
  /** Full seconds after which that is so, 1 at least; a second less is too little. */
  readonly retryAfterSeconds: number;
}

interface Hit {
  readonly scope: BurstScope;
  readonly limit: number;
  readonly isEnforced: boolean;
  readonly nowMs: number;
}

function burstStateFrom({ hits, waitMs }: Window, { scope, limit, isEnforced, nowMs }: Hit): BurstState {
  return {
    refused: isEnforced && hits > limit,
    scope,
    limit,
    remaining: Math.max(0, limit - hits),
    resetAt: Math.ceil((nowMs + waitMs) / 1000),
    retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)),
  };
}

/** The time over which requests are counted (specification "Burst limit"). A hit counts until so long after it, not at that instant. */
export const WINDOW_MS = 60_000;

/** What the hits of the last 60 seconds, the newest included, say about a limit. */
export interface Window {
  /** How many there are; beyond the limit only one more is told. */
  readonly hits: number;
  /** Milliseconds, above 0, until a hit finds more room than the newest one left, if there are none until then. */
  readonly waitMs: number;
}

/** Counts hits by name over the last 60 seconds. Adapters: this process's memory, or Redis for all replicas together. */
export interface WindowCounter {
  /** Counts one hit now, always, and tells what the window that ends now says about this limit. */
  hit(name: string, limit: number): Awaitable<Window>;
  /** For operators: why it does not count as it should; undefined: it does, or it can't fail. */
  readonly problem?: HealthProblem | undefined;
  close(): Promise<void>;
}
