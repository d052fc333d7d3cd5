import type { ClaimedDelivery, WaitingEndpoint } from '../queue/delivery.ts';
import type { DispatcherDeps } from './dispatcher-options.ts';

/** How long endpoints and deliveries wait that can't be served for a reason of ours. */
export const PUT_OFF_MS = 60_000;

/** Where a delivery goes, and what signs it. */
export interface Target {
  readonly url: string;
  readonly secret: string;
}

/** Where a dispatcher's deliveries go, as of its last poll, each secret opened once until the next one. */
export class Targets {
  readonly #deps: Pick<DispatcherDeps, 'secrets' | 'onEvent'>;
  #endpoints = new Map<string, WaitingEndpoint>();
  readonly #secrets = new Map<string, string>();
  /** Endpoints that are sent nothing for a while, with its end. */
  readonly #resting = new Map<string, Date>();

  constructor(deps: Pick<DispatcherDeps, 'secrets' | 'onEvent'>) {
    this.#deps = deps;
  }

  /** Takes the place of all that was known. */
  update(endpoints: readonly WaitingEndpoint[]): void {
    this.#endpoints = new Map(endpoints.map((endpoint) => [endpoint.id, endpoint]));
    this.#secrets.clear();
  }

  /** Sends an endpoint nothing until the next poll finds it. */
  forget(endpointId: string): void {
    this.#endpoints.delete(endpointId);
  }

  /**
   * Undefined where the delivery must not be sent now. Where the secret can't be opened that is reported, and nothing is sent to the endpoint
   * for a while.
   */
  find({ endpointId, kind }: ClaimedDelivery, now: Date): Target | undefined {
    const endpoint = this.#endpoints.get(endpointId);
    if (endpoint === undefined || this.isResting(endpointId, now)) return undefined;
    // Events only while it is active, pings also before.
    const mayBeSent = endpoint.state === 'active' || (endpoint.state === 'registered' && kind === 'ping');
    const secret = mayBeSent ? this.#openSecret(endpoint, now) : undefined;
    return secret === undefined ? undefined : { url: endpoint.url, secret };
  }

  isResting(endpointId: string, now: Date): boolean {
    const until = this.#resting.get(endpointId);
    if (until === undefined) return false;
    // A clock that was set back must not make it longer.
    if (until > now && until.getTime() - now.getTime() <= PUT_OFF_MS) return true;
    this.#resting.delete(endpointId);
    return false;
  }

  #openSecret({ id, sealedSecret }: WaitingEndpoint, now: Date): string | undefined {
    const opened = this.#secrets.get(id);
    if (opened !== undefined) return opened;
    try {
      const secret = this.#deps.secrets.open(sealedSecret, id);
      this.#secrets.set(id, secret);
      return secret;
    } catch (error) {
      this.#deps.onEvent({ type: 'put_off', endpointId: id, error });
      this.#resting.set(id, new Date(now.getTime() + PUT_OFF_MS));
      return undefined;
    }
  }
}
