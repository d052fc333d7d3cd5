import type { ClaimedDelivery, WaitingEndpoint } from '../queue/delivery.ts';
import type { DispatcherDeps } from './dispatcher-options.ts';

/** Pause of an endpoint or delivery after a problem of ours. */
export const PUT_OFF_MS = 60_000;

export interface Target {
  readonly url: string;
  readonly secret: string;
}

/** Where deliveries go, as of the last poll. Secrets are opened once per poll. */
export class Targets {
  readonly #deps: Pick<DispatcherDeps, 'secrets' | 'onEvent'>;
  #endpoints = new Map<string, WaitingEndpoint>();
  readonly #secrets = new Map<string, string>();
  /** Endpoints that are paused, and until when. */
  readonly #resting = new Map<string, Date>();

  constructor(deps: Pick<DispatcherDeps, 'secrets' | 'onEvent'>) {
    this.#deps = deps;
  }

  update(endpoints: readonly WaitingEndpoint[]): void {
    this.#endpoints = new Map(endpoints.map((endpoint) => [endpoint.id, endpoint]));
    this.#secrets.clear();
  }

  /** Until the next poll. */
  forget(endpointId: string): void {
    this.#endpoints.delete(endpointId);
  }

  /**
   * Undefined if the delivery must not be sent now. A secret that can't be opened is reported and pauses the endpoint.
   */
  find({ endpointId, kind }: ClaimedDelivery, now: Date): Target | undefined {
    const endpoint = this.#endpoints.get(endpointId);
    if (endpoint === undefined || this.isResting(endpointId, now)) return undefined;
    const mayBeSent = endpoint.state === 'active' || (endpoint.state === 'registered' && kind === 'ping');
    const secret = mayBeSent ? this.#openSecret(endpoint, now) : undefined;
    return secret === undefined ? undefined : { url: endpoint.url, secret };
  }

  isResting(endpointId: string, now: Date): boolean {
    const until = this.#resting.get(endpointId);
    if (until === undefined) return false;
    // A clock that was set back must not lengthen the pause.
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
