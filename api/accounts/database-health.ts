import type { BaseLogger } from 'pino';
import { isAppError, messageFromError } from '../../runtime/errors.ts';
import type { HealthProblem } from '../../runtime/health-problem.ts';

export interface DatabaseHealthDeps {
  readonly clock: () => Date;
  readonly log: Pick<BaseLogger, 'info' | 'warn'>;
  /** Reads from the database; rejects on failure. */
  readonly check: () => Promise<void>;
  /** Writes to the database; rejects on failure. */
  readonly probe: () => Promise<void>;
  /** Interval of checks, or of probes during a problem. */
  readonly probeMs: number;
}

/**
 * Tracks from requests and periodic checks whether the control database can be read and written. A problem ends with a
 * successful write, which probes retry.
 */
export class DatabaseHealth {
  readonly #deps: DatabaseHealthDeps;
  #problem: HealthProblem | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(deps: DatabaseHealthDeps) {
    this.#deps = deps;
    this.#scheduleCheck();
  }

  /** For operators: may name paths and hosts, never passwords. */
  get problem(): HealthProblem | undefined {
    return this.#problem;
  }

  /** Runs read-only work: it can reveal a problem but not end one. */
  async reading<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (isAppError(error, 'unavailable')) this.#failed(messageFromError(error));
      throw error;
    }
  }

  async writing<T>(work: () => Promise<T>): Promise<T> {
    const result = await this.reading(work);
    this.#recovered();
    return result;
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  #failed(message: string): void {
    if (this.#problem?.message !== message) this.#deps.log.warn({ reason: message }, 'the control database failed');
    this.#problem = { code: 'unavailable', message, since: this.#problem?.since ?? this.#deps.clock() };
  }

  #recovered(): void {
    if (this.#problem === undefined) return;
    const { since } = this.#problem;
    this.#problem = undefined;
    this.#deps.log.info({ since: since.toISOString() }, 'the control database works again');
  }

  #scheduleCheck(): void {
    if (this.#isClosed) return;
    const { check, probe, probeMs } = this.#deps;
    this.#timer = setTimeout(() => {
      const checked = this.#problem === undefined ? this.reading(check) : this.writing(probe);
      void checked.catch(() => {}).finally(() => this.#scheduleCheck()); // Recorded in `problem`.
    }, probeMs).unref();
  }
}
