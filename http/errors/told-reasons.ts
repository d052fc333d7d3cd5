/** How long a reason is not told again. */
const AGAIN_MS = 60_000;
/** Reasons remembered; with more of them the oldest is told again sooner. */
const REASONS_MAX = 100;

/** Remembers which reasons the log has, so that an outage fills it once and not with each request. */
export class ToldReasons {
  readonly #toldAtMs = new Map<string, number>();

  /** True where the reason was not told in the last minute, and is to be told now. */
  isNew(reason: string, nowMs: number): boolean {
    const toldAtMs = this.#toldAtMs.get(reason);
    if (toldAtMs !== undefined && nowMs - toldAtMs < AGAIN_MS) return false;
    this.#toldAtMs.delete(reason);
    this.#toldAtMs.set(reason, nowMs);
    const [oldest] = this.#toldAtMs.keys();
    if (this.#toldAtMs.size > REASONS_MAX && oldest !== undefined) this.#toldAtMs.delete(oldest);
    return true;
  }
}
