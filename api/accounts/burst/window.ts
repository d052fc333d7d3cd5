import type { Awaitable } from '../../../runtime/awaitable.ts';
import type { HealthProblem } from '../../../runtime/health-problem.ts';

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
