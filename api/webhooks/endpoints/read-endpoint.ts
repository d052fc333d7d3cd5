import type { Kysely, Transaction } from 'kysely';
import { AppError } from '../../../runtime/errors.ts';
import type { ControlTables } from '../../database/tables/tables.ts';
import { type Endpoint, type EndpointState, endpointFromRow } from './endpoint.ts';

/** An endpoint that was not removed; rejects with `not_found`. */
export async function readEndpoint(database: Kysely<ControlTables>, id: string): Promise<Endpoint> {
  const row = await database
    .selectFrom('webhook_endpoints')
    .selectAll()
    .where('id', '=', id)
    .where('state', '<>', 'removed')
    .executeTakeFirst();
  if (row === undefined) throw noEndpoint(id);
  return endpointFromRow(row);
}

/**
 * {@link readEndpoint} that writes nothing new, but keeps others from changing the endpoint until the transaction ends.
 */
export async function lockEndpoint(transaction: Transaction<ControlTables>, id: string): Promise<Endpoint> {
  const row = await transaction
    .updateTable('webhook_endpoints')
    .set(({ ref }) => ({ description: ref('description') }))
    .where('id', '=', id)
    .where('state', '<>', 'removed')
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) throw noEndpoint(id);
  return endpointFromRow(row);
}

/** Throws `usage` where an endpoint is in none of these states, with what to do about it. */
export function assertState({ id, state }: Endpoint, states: readonly EndpointState[]): void {
  if (states.includes(state)) return;
  const hint =
    state === 'suspended' ? 'its plan has no webhooks' : `modelstats webhooks enable ${id} asks it to prove itself`;
  throw new AppError('usage', `the endpoint ${id} is ${state}: ${hint}`);
}

function noEndpoint(id: string): AppError {
  return new AppError('not_found', `there is no endpoint ${id}`);
}
