import type { Kysely } from 'kysely';
import type { ControlTables } from '../../database/tables/tables.ts';
import { shownName } from '../people/connections/shown-name.ts';

/** What people know a key or a connection by. */
export interface CredentialName {
  readonly name: string;
  /** Of a key; empty for a connection. */
  readonly last_four: string;
  /** Unix milliseconds; null for one that was not revoked. */
  readonly revoked_at: number | null;
}

const NONE: CredentialName = { name: '', last_four: '', revoked_at: null };
/** Nothing is kept of a connection but what it used. */
const ENDED: CredentialName = { ...NONE, name: 'a connection that was ended' };

/** Names of whatever an organization asked with, by id. Rejects as the database does. */
export async function readCredentialNames(
  database: Kysely<ControlTables>,
  organizationId: string,
): Promise<(id: string) => CredentialName> {
  const keys = await database
    .selectFrom('api_keys')
    .select(['id', 'name', 'last_four', 'revoked_at'])
    .where('organization_id', '=', organizationId)
    .execute();
  const connections = await database
    .selectFrom('connections')
    .innerJoin('oauth_clients', 'oauth_clients.client_id', 'connections.client_id')
    .select(['connections.id', 'oauth_clients.name'])
    .where('connections.organization_id', '=', organizationId)
    .execute();
  const names = new Map<string, CredentialName>([
    ...keys.map(({ id, ...key }) => [id, key] as const),
    ...connections.map(({ id, name }) => [id, { ...NONE, name: shownName(name) }] as const),
  ]);
  return (id) => names.get(id) ?? (id.startsWith('connection_') ? ENDED : NONE);
}
