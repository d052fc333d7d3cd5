/** What the load generator is told. */
export interface LoadPlan {
  readonly origin: string;
  /** Path and query of each request, in turn over all connections. */
  readonly paths: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  /** `If-None-Match` of each path, so that every answer is a 304; undefined: none is sent, and every answer is a 200. */
  readonly tags?: readonly string[];
  /** Sent with POST; undefined: each request is a GET. */
  readonly body?: string;
  /** Requests at once at most. */
  readonly connections: number;
  /** Goes round the paths for this long; undefined: each path once. */
  readonly seconds?: number;
  /** Requests begin at this pace whether earlier ones are answered or not; undefined: each connection as fast as it can. */
  readonly perSecond?: number;
  /** Whether to tell of each request. */
  readonly withSamples?: boolean;
}

/** When a request was due (milliseconds since 1970), and how long from then to the end of its answer. */
export type Sample = readonly [dueAt: number, ms: number];

/** What it prints. Latencies are from when a request was due to the last byte of its answer. */
export interface LoadResult {
  readonly requests: number;
  readonly wallMs: number;
  readonly bodyBytes: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  readonly samples: readonly Sample[];
}

/** The value below which that part of the others lies; 0 of none. */
export function percentile(values: readonly number[], part: number): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * part) - 1)] ?? 0;
}
