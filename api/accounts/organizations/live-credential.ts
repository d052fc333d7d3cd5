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

/** The live credential with this SHA-256 or this id; undefined for none, and for a revoked one. Rejects with `unavailable`. */
export type FindCredential = (by: CredentialSelector) => Promise<LiveCredential | undefined>;

/** Looks API keys up. */
export function keyFinder(engine: DatabaseEngine): FindCredential {
  return finder(engine, {
    name: 'key',
    byHash: (value) =>
      `${select('c.expires_at')} from api_keys c ${AGREED} where c.hash = ${value} and c.revoked_at is null`,
    byId: (value) =>
      `${select('c.expires_at')} from api_keys c ${AGREED} where c.id = ${value} and c.revoked_at is null`,
  });
}

/**
 * Looks connections up, by an access token of theirs or by id: those of persons who still belong to the organization.
 *
 * @param resource that a token must be for
 */
export function connectionFinder(engine: DatabaseEngine, resource: string): FindCredential {
  return finder(engine, {
    name: 'connection',
    byHash: (value) => `${select('t.expires_at, t.resources')} from oauth_access_tokens t
      join connections c using (client_id, person_id, organization_id) ${OF_MEMBER} ${AGREED}
      where t.token = ${value} and t.revoked is null`,
    byId: (value) => `${select('null as expires_at')} from connections c ${OF_MEMBER} ${AGREED} where c.id = ${value}`,
    isFor: ({ resources }) => resources === undefined || textsFrom(resources).includes(resource),
  });
}

/** What a program may do whose person has left the organization: nothing. */
const OF_MEMBER = `join members m on m.organization_id = c.organization_id and m.person_id = c.person_id
  join oauth_clients o on o.client_id = c.client_id and not coalesce(o.disabled, false)`;
const AGREED = 'left join subscriptions s on s.organization_id = c.organization_id';

function select(columns: string): string {
  return `
    select c.id, c.organization_id, ${columns}, s.plan, s.status, s.contract, s.period_end, s.grace_until,
      ${bonusColumns('c.organization_id')}`;
}

interface Queries {
  /** Of the statements, on PostgreSQL. */
  readonly name: string;
  /** One row per live credential; `value` is the placeholder of what to look for. */
  readonly byHash: (value: string) => string;
  readonly byId: (value: string) => string;
  /** Whether what was found is good here; default: it is. */
  readonly isFor?: (row: CredentialRow) => boolean;
}

/** What the queries give. */
interface CredentialRow extends SubscriptionColumns, BonusColumns {
  readonly id: string;
  readonly organization_id: string;
  /** Unix milliseconds, or as better-auth keeps instants. */
  readonly expires_at: number | Date | string | null;
  /** JSON as text, or parsed. */
  readonly resources?: unknown;
}

/** Looks credentials up with statements that are prepared once, since requests wait for the answer. */
function finder(engine: DatabaseEngine, { name, byHash, byId, isFor = () => true }: Queries): FindCredential {
  const ask = caller(engine, name, { hash: byHash, id: byId });
  return (by) =>
    orUnavailable(async () => {
      const row = 'hash' in by ? await ask('hash', by.hash) : await ask('id', by.id);
      return row === undefined || !isFor(row) ? undefined : credentialFrom(row);
    });
}

type Ask = (by: 'hash' | 'id', value: string) => Promise<CredentialRow | undefined>;

function caller(
  engine: DatabaseEngine,
  name: string,
  query: Readonly<Record<'hash' | 'id', (value: string) => string>>,
): Ask {
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
    /** Of the API key or of the connection. */
    credentialId: row.id,
    organizationId: row.organization_id,
    subscription: subscriptionFromRow(row),
    bonusEnds: bonusEndsFrom(row),
    /** Unix milliseconds from which on it is refused; null: never. */
    expiresAtMs: row.expires_at === null ? null : new Date(row.expires_at).getTime(),
  };
}

/** What is good for requests, whether or not it has expired, with what its organization has agreed. */
export type LiveCredential = Readonly<ReturnType<typeof credentialFrom>>;

function textsFrom(json: unknown): readonly unknown[] {
  const list: unknown = typeof json === 'string' ? JSON.parse(json) : json;
  return Array.isArray(list) ? list : [];
}
