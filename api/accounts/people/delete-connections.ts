import type { Transaction } from 'kysely';
import type { ControlTables } from '../../database/tables/tables.ts';

/** Ends the connections of a person to an organization, or that of one program, with their tokens. */
export async function deleteConnections(
  transaction: Transaction<ControlTables>,
  {
    organizationId,
    personId,
    clientId,
  }: { readonly organizationId: string; readonly personId: string; readonly clientId?: string },
): Promise<void> {
  // Access tokens first: they name the refresh token that they came with.
  for (const table of ['oauth_access_tokens', 'oauth_refresh_tokens', 'connections'] as const) {
    const ofPerson = transaction
      .deleteFrom(table)
      .where('organization_id', '=', organizationId)
      .where('person_id', '=', personId);
    await (clientId === undefined ? ofPerson : ofPerson.where('client_id', '=', clientId)).execute();
  }
}
