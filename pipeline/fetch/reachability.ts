import type { UpstreamClient, UpstreamRequest, UpstreamResponse } from './upstream-client.ts';
import { UpstreamFault } from './upstream-fault.ts';

/**
 * For how long a fetch that reaches nobody tries again, from its first failure. Smaller: a network that is only coming up fails a
 * night. Larger: who has none waits as long to be told, once for every few files.
 */
const GIVE_UP_MS = 5000;

export interface ReachabilityDeps {
  readonly client: Pick<UpstreamClient, 'get'>;
  readonly clock: () => Date;
}

/**
 * The client of one fetch, which knows whether it has reached anybody yet. Where nobody is reached for {@link GIVE_UP_MS}, it is the
 * machine that has no network rather than one upstream that is down: then each host is tried once more at the most.
 */
export class Reachability {
  readonly #deps: ReachabilityDeps;
  readonly #unreachable = new Map<string, UpstreamFault>();
  #isReached = false;
  #failingSince: number | undefined;

  constructor(deps: ReachabilityDeps) {
    this.#deps = deps;
  }

  /** The fault of each host, in the order in which they failed, where every one that was asked could not be reached; else none. */
  faults(): readonly UpstreamFault[] {
    return this.#isReached ? [] : [...this.#unreachable.values()];
  }

  async get(asked: UpstreamRequest): Promise<UpstreamResponse> {
    const { host } = asked.url;
    const known = this.#unreachable.get(host);
    if (known !== undefined && this.#isGivenUp()) throw withoutRetry(known);
    try {
      const response = await this.#deps.client.get(asked);
      this.#isReached = true;
      return response;
    } catch (error) {
      if (!(error instanceof UpstreamFault) || !error.isUnreachable) {
        this.#isReached = true;
        throw error;
      }
      this.#failingSince ??= this.#deps.clock().getTime();
      this.#unreachable.set(host, error);
      throw this.#isGivenUp() ? withoutRetry(error) : error;
    }
  }

  #isGivenUp(): boolean {
    if (this.#isReached || this.#failingSince === undefined) return false;
    return this.#deps.clock().getTime() - this.#failingSince >= GIVE_UP_MS;
  }
}

function withoutRetry({ message }: UpstreamFault): UpstreamFault {
  return new UpstreamFault(message, { mayPass: false, isUnreachable: true });
}
