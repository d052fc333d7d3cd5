import type { Kysely } from 'kysely';
import { apiKeyFromBytes, hashOfApiKey, lastFourOf } from '../../schemas/api-key.ts';
import { AppError } from '../../schemas/errors.ts';
import { effectiveTerms, NO_SUBSCRIPTION, type Subscription } from '../../schemas/terms.ts';
import { orUnavailable } from '../database/database-errors.ts';
import type { ControlTables } from '../database/tables.ts';
import { type ApiKey, keyFromRow } from './api-key.ts';
import { type Organization, organizationFromRow, selectOrganizations, subscriptionRow } from './organization.ts';

export interface AdministrationDeps {
  readonly database: Kysely<ControlTables>;
  readonly clock: () => Date;
  /** That many cryptographically random bytes. */
  readonly random: (bytes: number) => Uint8Array;
  /** A new unique id, later ones sorting after earlier ones. */
  readonly newId: () => string;
  /** Told when a key or a plan has changed. */
  readonly onChange: () => void;
}

/** What operators do. Rejects with `not_found` for an unknown organization or key, and with `unavailable`. */
export class Administration {
  readonly #deps: AdministrationDeps;

  constructor(deps: AdministrationDeps) {
    this.#deps = deps;
  }

  async createOrganization(name: string, subscription: Subscription = NO_SUBSCRIPTION): Promise<Organization> {
    const now = this.#deps.clock();
    const id = `org_${this.#deps.newId()}`;
    await this.#run((database) =>
      database.transaction().execute(async (transaction) => {
        await transaction.insertInto('organizations').values({ id, name, created_at: now.getTime() }).execute();
        await transaction
          .insertInto('subscriptions')
          .values(subscriptionRow(id, subscription, now))
          .execute();
      }),
    );
    return { id, name, createdAt: now, subscription, terms: effectiveTerms(subscription, 0, now) };
  }

  /** All organizations, oldest first. */
  async listOrganizations(): Promise<readonly Organization[]> {
    const rows = await this.#run((database) => selectOrganizations(database).orderBy('organizations.id').execute());
    return rows.map((row) => organizationFromRow(row, this.#deps.clock()));
  }

  async getOrganization(id: string): Promise<Organization> {
    const row = await this.#run((database) =>
      selectOrganizations(database).where('organizations.id', '=', id).executeTakeFirst(),
    );
    if (row === undefined) throw new AppError('not_found', `there is no organization ${id}`);
    return organizationFromRow(row, this.#deps.clock());
  }

  /** Replaces the subscription as a whole; in force from the next request on. */
  async setPlan(organizationId: string, subscription: Subscription): Promise<Organization> {
    await this.getOrganization(organizationId);
    const row = subscriptionRow(organizationId, subscription, this.#deps.clock());
    await this.#run((database) =>
      database
        .insertInto('subscriptions')
        .values(row)
        .onConflict((conflict) => conflict.column('organization_id').doUpdateSet(row))
        .execute(),
    );
    this.#deps.onChange();
    return this.getOrganization(organizationId);
  }

  /** Issues a key. The key itself is in this answer and nowhere else, ever again. */
  async createKey(organizationId: string, name: string): Promise<ApiKey & { readonly key: string }> {
    await this.getOrganization(organizationId);
    const key = apiKeyFromBytes(this.#deps.random(32));
    const row = {
      ...{ id: `key_${this.#deps.newId()}`, organization_id: organizationId, name, hash: hashOfApiKey(key) },
      ...{ last_four: lastFourOf(key), created_at: this.#deps.clock().getTime(), last_used_at: null, revoked_at: null },
    };
    await this.#run((database) => database.insertInto('api_keys').values(row).execute());
    this.#deps.onChange();
    return { ...keyFromRow(row), key };
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

  /** Revokes a key for good, at once in this process. A key that was revoked before keeps its date. */
  async revokeKey(id: string): Promise<ApiKey> {
    const revoked_at = this.#deps.clock().getTime();
    const row = await this.#run(async (database) => {
      const key = () => database.selectFrom('api_keys').selectAll().where('id', '=', id).executeTakeFirst();
      await database
        .updateTable('api_keys')
        .set({ revoked_at })
        .where('id', '=', id)
        .where('revoked_at', 'is', null)
        .execute();
      return key();
    });
    this.#deps.onChange();
    if (row === undefined) throw new AppError('not_found', `there is no key ${id}`);
    return keyFromRow(row);
  }

  #run<T>(work: (database: Kysely<ControlTables>) => Promise<T>): Promise<T> {
    return orUnavailable(() => work(this.#deps.database));
  }
}
