import type { DatabaseEngine, PostgresEngine, SqliteEngine } from '../../database/control-database.ts';
import { orUnavailable } from '../../database/database-errors.ts';
import type { ApiKeyRow } from '../../database/tables.ts';
import { type SubscriptionColumns, subscriptionFromRow } from '../plans/subscription-row.ts';
import type { Subscription } from '../plans/terms.ts';

/** A key that was issued and not revoked, whether or not it has expired, with what its organization has agreed. */
export interface LiveKey {
  readonly apiKeyId: string;
  readonly organizationId: string;
  readonly subscription: Subscription;
  readonly verifiedIntegrations: number;
  /** Unix milliseconds from which on it is refused; null: never. */
  readonly expiresAtMs: number | null;
}

export type KeySelector = { readonly hash: string } | { readonly id: string };

/** The live key with this SHA-256 or this id; undefined for none, and for a revoked one. Rejects with `unavailable`. */
export type FindKey = (by: KeySelector) => Promise<LiveKey | undefined>;

/** Looks keys up in a control database, with statements that are prepared once, since requests wait for the answer. */
export function keyFinder(engine: DatabaseEngine): FindKey {
  switch (engine.kind) {
    case 'sqlite':
      return sqliteKeyFinder(engine);
    case 'postgres':
      return postgresKeyFinder(engine);
  }
}

function sqliteKeyFinder({ connection }: SqliteEngine): FindKey {
  const byHash = connection.prepare<[string], LiveKeyRow>(keyQuery('k.hash = ?'));
  const byId = connection.prepare<[string], LiveKeyRow>(keyQuery('k.id = ?'));
  return (by) => orUnavailable(async () => liveKeyFrom('hash' in by ? byHash.get(by.hash) : byId.get(by.id)));
}

/** Named statements are prepared once per connection. */
function postgresKeyFinder({ pool }: PostgresEngine): FindKey {
  const [byHash, byId] = [keyQuery('k.hash = $1'), keyQuery('k.id = $1')];
  return (by) =>
    orUnavailable(async () => {
      const { rows } = await pool.query<LiveKeyRow>(
        'hash' in by
          ? { name: 'key-by-hash', text: byHash, values: [by.hash] }
          : { name: 'key-by-id', text: byId, values: [by.id] },
      );
      return liveKeyFrom(rows[0]);
    });
}

/** One row per live key that the condition selects; its one parameter is what to look for. */
function keyQuery(condition: string): string {
  return `
    select k.id, k.organization_id, k.expires_at, s.plan, s.status, s.contract, s.period_end, s.grace_until,
      (select count(*) from verified_integrations v where v.organization_id = k.organization_id and v.ended_at is null)
        as integrations
    from api_keys k left join subscriptions s on s.organization_id = k.organization_id
    where ${condition} and k.revoked_at is null`;
}

/** What {@link keyQuery} gives. */
interface LiveKeyRow extends Pick<ApiKeyRow, 'id' | 'organization_id' | 'expires_at'>, SubscriptionColumns {
  readonly integrations: number;
}

function liveKeyFrom(row: LiveKeyRow | undefined): LiveKey | undefined {
  if (row === undefined) return undefined;
  return {
    apiKeyId: row.id,
    organizationId: row.organization_id,
    subscription: subscriptionFromRow(row),
    verifiedIntegrations: row.integrations,
    expiresAtMs: row.expires_at,
  };
}
