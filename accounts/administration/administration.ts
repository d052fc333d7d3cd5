import type { Kysely, Transaction } from 'kysely';
import { orUnavailable } from '../../database/database-errors.ts';
import type { ApiKeyRow, ControlTables } from '../../database/tables.ts';
import { AppError } from '../../schemas/errors.ts';
import { type AuditAction, type AuditEntry, type NewAuditEntry, readAudit, recordAudit } from '../audit/audit-log.ts';
import { rowFromSubscription } from '../plans/subscription-row.ts';
import { effectiveTerms, NO_SUBSCRIPTION, type Subscription } from '../plans/terms.ts';
import { type ApiKey, issueKey, keyFromRow, type NewApiKey } from './issued-key.ts';
import {
  getOrganization,
  lockOrganization,
  type Organization,
  organizationFromRow,
  selectOrganizations,
} from './organization.ts';
import { describeSubscription, subscriptionChanges } from './subscription-changes.ts';

export type { ApiKey, NewApiKey } from './issued-key.ts';

export interface AdministrationDeps {
  readonly database: Kysely<ControlTables>;
  readonly clock: () => Date;
  /** That many cryptographically random bytes. */
  readonly random: (bytes: number) => Uint8Array;
  /** A new unique id, later ones sorting after earlier ones. */
  readonly newId: () => string;
  /** Called when a key or a plan has changed. */
  readonly onChange: () => void;
}

/** Who acts where nobody is named. */
const SYSTEM = 'system';

/**
 * What operators do. Each change leaves a line in the audit log, in the same transaction. Rejects with `not_found` for an unknown
 * organization or key, and with `unavailable`.
 */
export class Administration {
  readonly #deps: AdministrationDeps;
  readonly #actor: string;

  constructor(deps: AdministrationDeps, actor = SYSTEM) {
    this.#deps = deps;
    this.#actor = actor;
  }

  /** The same, done by `actor`, such as `cli:` and the user of the operating system. */
  as(actor: string): Administration {
    return new Administration(this.#deps, actor);
  }

  async createOrganization(name: string, subscription: Subscription = NO_SUBSCRIPTION): Promise<Organization> {
    const now = this.#deps.clock();
    const id = `org_${this.#deps.newId()}`;
    await this.#change(async (transaction) => {
      await transaction.insertInto('organizations').values({ id, name, created_at: now.getTime() }).execute();
      await transaction
        .insertInto('subscriptions')
        .values(rowFromSubscription(id, subscription, now))
        .execute();
      const details = { name, ...describeSubscription(subscription) };
      await this.#note(transaction, { organizationId: id, action: 'organization.create', subjectId: id, details });
    });
    return { id, name, createdAt: now, subscription, terms: effectiveTerms(subscription, 0, now) };
  }

  /** All organizations, oldest first. */
  async listOrganizations(): Promise<readonly Organization[]> {
    const rows = await this.#run((database) => selectOrganizations(database).orderBy('organizations.id').execute());
    return rows.map((row) => organizationFromRow(row, this.#deps.clock()));
  }

  getOrganization(id: string): Promise<Organization> {
    return this.#run((database) => this.#readOrganization(database, id));
  }

  /** Replaces the subscription as a whole; in force from the next request on. */
  async setPlan(organizationId: string, subscription: Subscription): Promise<Organization> {
    return (await this.changePlan(organizationId, () => subscription)).after;
  }

  /** Replaces the subscription by what `change` makes of it; in force from the next request on. */
  changePlan(organizationId: string, change: (before: Subscription) => Subscription): Promise<PlanChange> {
    return this.#change(async (transaction) => {
      await lockOrganization(transaction, organizationId);
      const before = await this.#readOrganization(transaction, organizationId);
      const wanted = change(before.subscription);
      if (subscriptionChanges(before.subscription, wanted).length === 0) return { before, after: before };
      const row = rowFromSubscription(organizationId, wanted, this.#deps.clock());
      await transaction
        .insertInto('subscriptions')
        .values(row)
        .onConflict((conflict) => conflict.column('organization_id').doUpdateSet(row))
        .execute();
      const after = await this.#readOrganization(transaction, organizationId);
      const details = {
        from: describeSubscription(before.subscription),
        to: describeSubscription(after.subscription),
      };
      const subject = { organizationId, subjectId: organizationId };
      await this.#note(transaction, { ...subject, action: 'organization.set_plan', details });
      return { before, after };
    });
  }

  /** Issues a key. The key itself is in this answer only: it is not stored. */
  createKey(
    organizationId: string,
    name: string,
    { expiresAt = null }: { readonly expiresAt?: Date | null } = {},
  ): Promise<NewApiKey> {
    return this.#change(async (transaction) => {
      await lockOrganization(transaction, organizationId);
      const issued = await this.#issue(transaction, { organizationId, name, expiresAt });
      const details = { name, expires_at: expiresAt };
      await this.#note(transaction, { organizationId, action: 'key.create', subjectId: issued.id, details });
      return issued;
    });
  }

  /**
   * Issues a key of the same name and lets the old one end after the overlap, unless it ends before. Rejects with `usage`
   * where the old one has ended or was revoked.
   */
  rotateKey(id: string, { overlapMs, expiresAt = null }: RotateKeyOptions): Promise<KeyRotation> {
    return this.#change(async (transaction) => {
      const old = await lockKey(transaction, id);
      const now = this.#deps.clock().getTime();
      if (hasEnded(old, now)) throw new AppError('usage', `the key ${id} has ended already; issue a new one`);
      const expires_at = Math.min(old.expires_at ?? Number.POSITIVE_INFINITY, now + overlapMs);
      await transaction.updateTable('api_keys').set({ expires_at }).where('id', '=', id).execute();
      const { organization_id: organizationId, name } = old;
      const issued = await this.#issue(transaction, { organizationId, name, expiresAt });
      const details = { new_key_id: issued.id, ends_at: new Date(expires_at), expires_at: expiresAt };
      await this.#note(transaction, { organizationId, action: 'key.rotate', subjectId: id, details });
      return { issued, replaced: keyFromRow({ ...old, expires_at }) };
    });
  }

  /** Every key ever issued to an organization, or to all, oldest first. */
  async listKeys(organizationId?: string): Promise<readonly ApiKey[]> {
    if (organizationId !== undefined) await this.getOrganization(organizationId);
    const rows = await this.#run((database) => {
      const all = database.selectFrom('api_keys').selectAll().orderBy('id');
      return (organizationId === undefined ? all : all.where('organization_id', '=', organizationId)).execute();
    });
    return rows.map(keyFromRow);
  }

  /** Revokes a key for good, at once in this process. A key that was revoked before keeps the date of that. */
  revokeKey(id: string): Promise<ApiKey> {
    return this.#change(async (transaction) => {
      const row = await lockKey(transaction, id);
      if (row.revoked_at !== null) return keyFromRow(row);
      const revoked_at = this.#deps.clock().getTime();
      await transaction.updateTable('api_keys').set({ revoked_at }).where('id', '=', id).execute();
      const details = { name: row.name };
      const organizationId = row.organization_id;
      await this.#note(transaction, { organizationId, action: 'key.revoke', subjectId: id, details });
      return keyFromRow({ ...row, revoked_at });
    });
  }

  /** Notes what is about to be done to something that the control database knows nothing of, such as a store. */
  async note(action: AuditAction, subjectId: string, details: AuditEntry['details']): Promise<void> {
    await this.#change((transaction) => this.#note(transaction, { organizationId: null, action, subjectId, details }));
  }

  /** What was done to an organization and its keys, or without one all that was done; newest first. */
  async listAudit(
    organizationId: string | undefined,
    { limit }: { readonly limit: number },
  ): Promise<readonly AuditEntry[]> {
    if (organizationId !== undefined) await this.getOrganization(organizationId);
    return this.#run((database) => readAudit(database, { organizationId, limit }));
  }

  #readOrganization(database: Kysely<ControlTables>, id: string): Promise<Organization> {
    return getOrganization(database, id, this.#deps.clock());
  }

  async #issue(
    transaction: Transaction<ControlTables>,
    { organizationId, name, expiresAt }: Pick<ApiKey, 'organizationId' | 'name' | 'expiresAt'>,
  ): Promise<NewApiKey> {
    const id = `key_${this.#deps.newId()}`;
    const createdAt = this.#deps.clock();
    const { key, row } = issueKey({ bytes: this.#deps.random(32), id, organizationId, name, createdAt, expiresAt });
    await transaction.insertInto('api_keys').values(row).execute();
    return { ...keyFromRow(row), key };
  }

  #note(transaction: Transaction<ControlTables>, entry: Omit<NewAuditEntry, 'id' | 'at' | 'actor'>): Promise<void> {
    const id = `audit_${this.#deps.newId()}`;
    return recordAudit(transaction, { ...entry, id, at: this.#deps.clock(), actor: this.#actor });
  }

  /** Begins with a write in each case, as SQLite needs it. */
  async #change<T>(work: (transaction: Transaction<ControlTables>) => Promise<T>): Promise<T> {
    const result = await this.#run((database) => database.transaction().execute(work));
    this.#deps.onChange();
    return result;
  }

  #run<T>(work: (database: Kysely<ControlTables>) => Promise<T>): Promise<T> {
    return orUnavailable(() => work(this.#deps.database));
  }
}

export interface PlanChange {
  readonly before: Organization;
  readonly after: Organization;
}

export interface RotateKeyOptions {
  /** How long the old key goes on working, in milliseconds. */
  readonly overlapMs: number;
  /** When the new one ends; null: never. */
  readonly expiresAt?: Date | null;
}

export interface KeyRotation {
  readonly issued: NewApiKey;
  /** The old key, with the end that it has now. */
  readonly replaced: ApiKey;
}

/** The same for a key. */
async function lockKey(transaction: Transaction<ControlTables>, id: string): Promise<ApiKeyRow> {
  const row = await transaction
    .updateTable('api_keys')
    .set(({ ref }) => ({ name: ref('name') }))
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) throw new AppError('not_found', `there is no key ${id}`);
  return row;
}

function hasEnded({ revoked_at, expires_at }: ApiKeyRow, nowMs: number): boolean {
  return revoked_at !== null || (expires_at !== null && expires_at <= nowMs);
}
