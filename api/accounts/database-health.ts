import type { BaseLogger } from 'pino';
import { isAppError, messageFromError } from '../../runtime/errors.ts';
import type { HealthProblem } from '../../runtime/health-problem.ts';

export interface DatabaseHealthDeps {
  readonly clock: () => Date;
  readonly log: Pick<BaseLogger, 'info' | 'warn'>;
  /** Reads something; rejects where that fails. */
  readonly look: () => Promise<void>;
  /** Writes something; rejects where that fails. */
  readonly probe: () => Promise<void>;
  /** Between two looks, or probes while there is a problem. */
  readonly probeMs: number;
}

/**
 * Remembers whether the control database could be read and written when it was last needed, or looked at: a server without requests
 * shows one that is down, too. A failure shows until the next write that succeeds, which a probe tries again and again. Each cause
 * is logged once.
 */
export class DatabaseHealth {
  readonly #deps: DatabaseHealthDeps;
  #problem: HealthProblem | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(deps: DatabaseHealthDeps) {
    this.#deps = deps;
    this.#lookLater();
  }

  /** For operators: its message may name paths and hosts, never a password. */
  get problem(): HealthProblem | undefined {
    return this.#problem;
  }

  /** Does work that only reads: it can show a problem, but not that one is over. */
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
    if (this.#problem?.message !== message)
      this.#deps.log.warn({ reason: message }, 'the control database does not do its work');
    this.#problem = { code: 'unavailable', message, since: this.#problem?.since ?? this.#deps.clock() };
  }

  #recovered(): void {
    if (this.#problem === undefined) return;
    const { since } = this.#problem;
    this.#problem = undefined;
    this.#deps.log.info({ since: since.toISOString() }, 'the control database does its work again');
  }

  #lookLater(): void {
    if (this.#isClosed) return;
    const { look, probe, probeMs } = this.#deps;
    this.#timer = setTimeout(() => {
      const looked = this.#problem === undefined ? this.reading(look) : this.writing(probe);
      void looked.catch(() => {}).finally(() => this.#lookLater()); // The problem tells.
    }, probeMs).unref();
  }
}
