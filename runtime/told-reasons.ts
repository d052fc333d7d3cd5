/** Reasons remembered; with more of them the oldest is told again sooner. */
const REASONS_MAX = 100;

/** Remembers which reasons the log has, so that an outage fills it once and not with each request or attempt. */
export class ToldReasons {
  readonly #toldAtMs = new Map<string, number>();
  readonly #againMs: number;

  /** @param againMs how long a reason is not told again, in milliseconds */
  constructor({ againMs }: { readonly againMs: number }) {
    this.#againMs = againMs;
  }

  /** True where the reason was not told for so long, and is to be told now. */
  isNew(reason: string, nowMs: number): boolean {
    const toldAtMs = this.#toldAtMs.get(reason);
    if (toldAtMs !== undefined && nowMs - toldAtMs < this.#againMs) return false;
    this.#toldAtMs.delete(reason);
    this.#toldAtMs.set(reason, nowMs);
    const [oldest] = this.#toldAtMs.keys();
    if (this.#toldAtMs.size > REASONS_MAX && oldest !== undefined) this.#toldAtMs.delete(oldest);
    return true;
  }

  /** All is well again: whatever happens from now on is told. */
  forget(): void {
    this.#toldAtMs.clear();
  }
}
