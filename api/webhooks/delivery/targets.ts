import type { ClaimedDelivery, Target } from '../queue/delivery-queue.ts';
import type { SecretKeys } from '../secrets/secret-keys.ts';

/** True where an endpoint in this state is sent such a delivery: events only while it is active, pings also before. */
export function isDeliverable({ kind }: Pick<ClaimedDelivery, 'kind'>, { state }: Pick<Target, 'state'>): boolean {
  return state === 'active' || (state === 'registered' && kind === 'ping');
}

/** How long endpoints and deliveries wait that can't be served for a reason of ours. */
export const PUT_OFF_MS = 60_000;

interface OpenedTarget {
  readonly target: Target;
  secret?: string;
}

/** Where a dispatcher's deliveries go, as of its last turn, each secret opened once. */
export class Targets {
  readonly #secrets: Pick<SecretKeys, 'open'>;
  #targets: ReadonlyMap<string, OpenedTarget> = new Map();
  /** Endpoints that are sent nothing for a while, with its end. */
  readonly #resting = new Map<string, Date>();

  constructor(secrets: Pick<SecretKeys, 'open'>) {
    this.#secrets = secrets;
  }

  /** Takes the place of all that was known; a secret that did not change stays open. */
  update(targets: readonly Target[]): void {
    const before = this.#targets;
    this.#targets = new Map(
      targets.map((target) => {
        const known = before.get(target.id);
        const isSame = known?.secret !== undefined && known.target.sealedSecret === target.sealedSecret;
        return [target.id, isSame && known?.secret !== undefined ? { target, secret: known.secret } : { target }];
      }),
    );
  }

  get(endpointId: string): Target | undefined {
    return this.#targets.get(endpointId)?.target;
  }

  /** The secret that signs; throws as {@link SecretKeys.open} does. */
  secretOf({ id, sealedSecret }: Target): string {
    const known = this.#targets.get(id);
    if (known?.secret !== undefined && known.target.sealedSecret === sealedSecret) return known.secret;
    const secret = this.#secrets.open(sealedSecret, id);
    if (known?.target.sealedSecret === sealedSecret) known.secret = secret;
    return secret;
  }

  /** Sends an endpoint nothing for a while. */
  rest(endpointId: string, now: Date): void {
    this.#resting.set(endpointId, new Date(now.getTime() + PUT_OFF_MS));
  }

  isResting(endpointId: string, now: Date): boolean {
    const until = this.#resting.get(endpointId);
    if (until === undefined) return false;
    // A clock that was set back must not make it longer.
    if (until > now && until.getTime() - now.getTime() <= PUT_OFF_MS) return true;
    this.#resting.delete(endpointId);
    return false;
  }
}
