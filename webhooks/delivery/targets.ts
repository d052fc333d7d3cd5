import type { ClaimedDelivery, Target } from '../queue/delivery-queue.ts';
import type { SecretKeys } from '../secrets/secret-keys.ts';

/** True where an endpoint in this state is sent such a delivery: events only while it is active, pings also before. */
export function isDeliverable({ kind }: Pick<ClaimedDelivery, 'kind'>, { state }: Pick<Target, 'state'>): boolean {
  return state === 'active' || (state === 'registered' && kind === 'ping');
}

interface OpenedTarget {
  readonly target: Target;
  secret?: string;
}

/** Where a dispatcher's deliveries go, as of its last turn, each secret opened once. */
export class Targets {
  readonly #secrets: Pick<SecretKeys, 'open'>;
  #targets: ReadonlyMap<string, OpenedTarget> = new Map();

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
}
