/** A clock that stands still until it is moved, with sleeps that end as it passes them. */
export class FakeTime {
  #nowMs: number;
  #sleepers: { readonly atMs: number; readonly wake: () => void }[] = [];

  constructor(now: string) {
    this.#nowMs = Date.parse(now);
  }

  readonly clock = (): Date => new Date(this.#nowMs);

  readonly sleep = (ms: number, signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      if (signal.aborted) return resolve();
      const wake = () => {
        signal.removeEventListener('abort', wake);
        resolve();
      };
      this.#sleepers.push({ atMs: this.#nowMs + ms, wake });
      signal.addEventListener('abort', wake);
    });

  /** Moves on to an instant, stopping at the end of every sleep on the way until all that follows from it is done. */
  async moveTo(instant: string): Promise<void> {
    const endMs = Date.parse(instant);
    await settle();
    for (let next = this.#takeNext(endMs); next !== undefined; next = this.#takeNext(endMs)) {
      this.#nowMs = next.atMs;
      next.wake();
      await settle();
    }
    this.#nowMs = endMs;
  }

  /** Sets the clock; sleeps last as long as they were to. */
  setTo(instant: string): void {
    const byMs = Date.parse(instant) - this.#nowMs;
    this.#nowMs += byMs;
    this.#sleepers = this.#sleepers.map(({ atMs, wake }) => ({ atMs: atMs + byMs, wake }));
  }

  /** Moves on as a machine does that was suspended: all sleeps are overdue when it wakes up. */
  async suspendUntil(instant: string): Promise<void> {
    this.#nowMs = Date.parse(instant);
    const overdue = this.#sleepers.filter(({ atMs }) => atMs <= this.#nowMs);
    this.#sleepers = this.#sleepers.filter(({ atMs }) => atMs > this.#nowMs);
    for (const { wake } of overdue) wake();
    await settle();
  }

  #takeNext(endMs: number) {
    const [next] = this.#sleepers.filter(({ atMs }) => atMs <= endMs).sort((a, b) => a.atMs - b.atMs);
    this.#sleepers = this.#sleepers.filter((sleeper) => sleeper !== next);
    return next;
  }
}

/** Lets everything run that waits for nothing but its turn. */
export function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
