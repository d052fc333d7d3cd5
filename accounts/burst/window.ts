/** Seconds over which requests are counted (SPEC "Burst rules"). */
export const WINDOW_SECONDS = 60;

/**
 * The hits of the last 60 seconds, a number per second: the first is the oldest, the last the running second. A hit is
 * counted in its own second and the 59 after, so a slot frees on a full second, up to one before 60 seconds have passed.
 */
export type Window = readonly number[];

/** Where a caller stands after a hit. */
export interface BurstState {
  /** More hits than the limit within the window, and limits are enforced. */
  readonly refused: boolean;
  readonly limit: number;
  /** Hits that are free now; 0 at least. */
  readonly remaining: number;
  /** Unix seconds at which more will be free than now, if nobody asks until then. */
  readonly resetAt: number;
  /** Seconds until then, 1 at least. */
  readonly retryAfterSeconds: number;
}

/** What a window that ends in this second says about a limit. */
export function burstStateFrom(
  window: Window,
  second: number,
  { limit, isEnforced }: { readonly limit: number; readonly isEnforced: boolean },
): BurstState {
  const total = window.reduce((sum, hits) => sum + hits, 0);
  const remaining = Math.max(0, limit - total);
  const retryAfterSeconds = secondsUntilMore(window, limit - total);
  return {
    refused: isEnforced && total > limit,
    limit,
    remaining,
    resetAt: second + retryAfterSeconds,
    retryAfterSeconds,
  };
}

/** `free`: the limit less all hits, negative where it is exceeded. */
function secondsUntilMore(window: Window, free: number): number {
  const wanted = Math.max(0, free) + 1;
  let gone = 0;
  for (const [index, hits] of window.entries()) {
    gone += hits;
    if (free + gone >= wanted) return index + 1;
  }
  return WINDOW_SECONDS;
}
