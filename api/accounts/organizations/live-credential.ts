import type { DatabaseEngine } from '../../database/control-database.ts';
import { orUnavailable } from '../../database/database-errors.ts';
import {
  type BonusColumns,
  bonusColumns,
  bonusEndsFrom,
  type SubscriptionColumns,
  subscriptionFromRow,
} from './terms.ts';

export type CredentialSelector = { readonly hash: string } | { readonly id: string };

/** Undefined if there is none or it was revoked. Rejects with `unavailable`. */
export type FindCredential = (by: CredentialSelector) => Promise<LiveCredential | undefined>;

export function keyFinder(engine: DatabaseEngine): FindCredential {
  return finder(engine, {
    name: 'key',
    byHash: (value) =>
      `${select('c.expires_at')} from api_keys c ${SUBSCRIPTION_JOIN} where c.hash = ${value} and c.revoked_at is null`,
    byId: (value) =>
      `${select('c.expires_at')} from api_keys c ${SUBSCRIPTION_JOIN} where c.id = ${value} and c.revoked_at is null`,
  });
}

/**
 * Only connections of current members.
 * @param resource that a token must be issued for
 */
export function connectionFinder(engine: DatabaseEngine, resource: string): FindCredential {
  return finder(engine, {
    name: 'connection',
    byHash: (value) => `${select('t.expires_at, t.resources')} from oauth_access_tokens t
      join connections c using (client_id, person_id, organization_id) ${MEMBER_JOIN} ${SUBSCRIPTION_JOIN}
      where t.token = ${value} and t.revoked is null`,
    byId: (value) =>
      `${select('null as expires_at')} from connections c ${MEMBER_JOIN} ${SUBSCRIPTION_JOIN} where c.id = ${value}`,
    isFor: ({ resources }) => resources === undefined || textsFrom(resources).includes(resource),
  });
}

const MEMBER_JOIN = `join members m on m.organization_id = c.organization_id and m.person_id = c.person_id
  join oauth_clients o on o.client_id = c.client_id and not coalesce(o.disabled, false)`;
const SUBSCRIPTION_JOIN = 'left join subscriptions s on s.organization_id = c.organization_id';

function select(columns: string): string {
  return `
    select c.id, c.organization_id, ${columns}, s.plan, s.status, s.contract, s.period_end, s.grace_until,
      ${bonusColumns('c.organization_id')}`;
}

interface Queries {
  /** Of the prepared statements, on PostgreSQL. */
  readonly name: string;
  /** One row per live credential; `value` is the placeholder. */
  readonly byHash: (value: string) => string;
  readonly byId: (value: string) => string;
  /** Whether the row is valid here; default: it is. */
  readonly isFor?: (row: CredentialRow) => boolean;
}

interface CredentialRow extends SubscriptionColumns, BonusColumns {
  readonly id: string;
  readonly organization_id: string;
  /** Unix milliseconds, or an instant as better-auth stores it. */
  readonly expires_at: number | Date | string | null;
  /** JSON text, or parsed. */
  readonly resources?: unknown;
}

/** Prepared once, since requests wait for them. */
function finder(engine: DatabaseEngine, { name, byHash, byId, isFor = () => true }: Queries): FindCredential {
  const lookUp = lookUpOn(engine, name, { hash: byHash, id: byId });
  return (by) =>
    orUnavailable(async () => {
      const row = 'hash' in by ? await lookUp('hash', by.hash) : await lookUp('id', by.id);
      return row === undefined || !isFor(row) ? undefined : credentialFrom(row);
    });
}

type LookUp = (by: 'hash' | 'id', value: string) => Promise<CredentialRow | undefined>;

function lookUpOn(
  engine: DatabaseEngine,
  name: string,
  query: Readonly<Record<'hash' | 'id', (value: string) => string>>,
): LookUp {
  switch (engine.kind) {
    case 'sqlite': {
      const statements = {
        hash: engine.connection.prepare<[string], CredentialRow>(query.hash('?')),
        id: engine.connection.prepare<[string], CredentialRow>(query.id('?')),
      };
      return async (by, value) => statements[by].get(value);
    }
    case 'postgres': {
      const texts = { hash: query.hash('$1'), id: query.id('$1') };
      return async (by, value) => {
        const named = { name: `${name}-by-${by}`, text: texts[by], values: [value] }; // Prepared once per connection.
        return (await engine.pool.query<CredentialRow>(named)).rows[0];
      };
    }
  }
}

function credentialFrom(row: CredentialRow) {
  return {
    credentialId: row.id,
    organizationId: row.organization_id,
    subscription: subscriptionFromRow(row),
    bonusEnds: bonusEndsFrom(row),
    /** Unix milliseconds from which it is refused; null: never. */
    expiresAtMs: row.expires_at === null ? null : new Date(row.expires_at).getTime(),
  };
}

/** Not revoked, but possibly expired. */
export type LiveCredential = Readonly<ReturnType<typeof credentialFrom>>;

function textsFrom(json: unknown): readonly unknown[] {
  const list: unknown = typeof json === 'string' ? JSON.parse(json) : json;
  return Array.isArray(list) ? list : [];
}
