import type { UpstreamClient, UpstreamRequest, UpstreamResponse } from './upstream-client.ts';
import { UpstreamFault } from './upstream-fault.ts';

/**
 * How long a fetch that reaches no host retries. Smaller: a network that is just starting fails a night. Larger:
 * without a network, the report comes later.
 */
const GIVE_UP_MS = 5000;

export interface ReachabilityDeps {
  readonly client: Pick<UpstreamClient, 'get'>;
  readonly clock: () => Date;
}

/** Notices a missing network: after {@link GIVE_UP_MS} without a reached host, further hosts are tried only once. */
export class Reachability {
  readonly #deps: ReachabilityDeps;
  readonly #unreachable = new Map<string, UpstreamFault>();
  #isReached = false;
  #failingSince: number | undefined;

  constructor(deps: ReachabilityDeps) {
    this.#deps = deps;
  }

  /** The fault of each host, in order of failure, if none could be reached; else none. */
  faults(): readonly UpstreamFault[] {
    return this.#isReached ? [] : [...this.#unreachable.values()];
  }

  async get(request: UpstreamRequest): Promise<UpstreamResponse> {
    const { host } = request.url;
    const known = this.#unreachable.get(host);
    if (known !== undefined && this.#isGivenUp()) throw withoutRetry(known);
    try {
      const response = await this.#deps.client.get(request);
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
