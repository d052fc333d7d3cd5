import { type AuditAction, type AuditDeps, type AuditEntry, AuditedChanges, readAudit } from './audit.ts';
import {
  type ApiKey,
  type CreateKeyOptions,
  createKey,
  type KeyRotation,
  listKeys,
  type NewApiKey,
  type RotateKeyOptions,
  revokeKey,
  rotateKey,
} from './organizations/keys.ts';
import {
  changePlan,
  createOrganization,
  getOrganization,
  listOrganizations,
  type Organization,
  type PlanChange,
  setEmail,
} from './organizations/organizations.ts';
import { NO_SUBSCRIPTION, type Subscription } from './plans/terms.ts';

export type { ApiKey, NewApiKey } from './organizations/keys.ts';

export interface AdministrationDeps extends AuditDeps {
  /** That many cryptographically random bytes. */
  readonly random: (bytes: number) => Uint8Array;
}

/** Who acts where nobody is named. */
const SYSTEM = 'system';

/**
 * What operators do. Each change leaves a line in the audit log, in the same transaction. Rejects with `not_found` for an unknown
 * organization or key, and with `unavailable`. What a method does is told where the function of its name is.
 */
export class Administration {
  readonly #deps: AdministrationDeps;
  readonly #changes: AuditedChanges;

  constructor(deps: AdministrationDeps, actor = SYSTEM, origin: string | null = null) {
    this.#deps = deps;
    this.#changes = new AuditedChanges(deps, actor, origin);
  }

  /**
   * The same, done by `actor`, such as `cli:` and the user of the operating system, or `person:` and an address of mail; from the
   * address `origin`, null: from this machine.
   */
  as(actor: string, origin: string | null = null): Administration {
    return new Administration(this.#deps, actor, origin);
  }

  createOrganization(
    name: string,
    subscription: Subscription = NO_SUBSCRIPTION,
    { email = null }: { readonly email?: string | null } = {},
  ): Promise<Organization> {
    return createOrganization({ name, email }, subscription, this.#changes);
  }

  setEmail(organizationId: string, email: string | null): Promise<Organization> {
    return setEmail(organizationId, email, this.#changes);
  }

  listOrganizations(): Promise<readonly Organization[]> {
    return listOrganizations(this.#changes);
  }

  getOrganization(id: string): Promise<Organization> {
    return getOrganization(id, this.#changes);
  }

  changePlan(organizationId: string, change: (before: Subscription) => Subscription): Promise<PlanChange> {
    return changePlan(organizationId, change, this.#changes);
  }

  createKey(organizationId: string, name: string, options: CreateKeyOptions = {}): Promise<NewApiKey> {
    return createKey({ organizationId, name }, options, { changes: this.#changes, random: this.#deps.random });
  }

  rotateKey(id: string, options: RotateKeyOptions): Promise<KeyRotation> {
    return rotateKey(id, options, { changes: this.#changes, random: this.#deps.random });
  }

  listKeys(organizationId?: string): Promise<readonly ApiKey[]> {
    return listKeys(organizationId, this.#changes);
  }

  revokeKey(id: string): Promise<ApiKey> {
    return revokeKey(id, this.#changes);
  }

  /** Notes what is about to be done to something that the control database knows nothing of, such as a store. */
  note(action: AuditAction, subjectId: string, details: AuditEntry['details']): Promise<void> {
    return this.#changes.change((_, note) => note({ organizationId: null, action, subjectId, details }));
  }

  /** What was done to an organization and its keys, or without one all that was done; newest first. */
  async listAudit(
    organizationId: string | undefined,
    { limit }: { readonly limit: number },
  ): Promise<readonly AuditEntry[]> {
    if (organizationId !== undefined) await this.getOrganization(organizationId);
    return this.#changes.read((database) => readAudit(database, { organizationId, limit }));
  }
}
