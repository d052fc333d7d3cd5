/** Reasons remembered; with more of them the oldest is reported again sooner. */
const REASONS_MAX = 100;

/** Remembers which reasons the log has, so that an outage fills it once and not with each request or attempt. */
export class ReportedReasons {
  readonly #reportedAtMs = new Map<string, number>();
  readonly #againMs: number;

  /** @param againMs how long a reason is not reported again, in milliseconds */
  constructor({ againMs }: { readonly againMs: number }) {
    this.#againMs = againMs;
  }

  /** True where the reason was not reported for so long, and is to be reported now. */
  isNew(reason: string, nowMs: number): boolean {
    const reportedAtMs = this.#reportedAtMs.get(reason);
    if (reportedAtMs !== undefined && nowMs - reportedAtMs < this.#againMs) return false;
    this.#reportedAtMs.delete(reason);
    this.#reportedAtMs.set(reason, nowMs);
    const [oldest] = this.#reportedAtMs.keys();
    if (this.#reportedAtMs.size > REASONS_MAX && oldest !== undefined) this.#reportedAtMs.delete(oldest);
    return true;
  }

  /** All is well again: whatever happens from now on is reported. */
  forget(): void {
    this.#reportedAtMs.clear();
  }
}
