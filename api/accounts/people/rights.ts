import type { Kysely, Transaction } from 'kysely';
import { AppError } from '../../../runtime/errors.ts';
import { type ControlTables, getWord } from '../../database/tables/tables.ts';
import type { Actor } from '../actor.ts';
import { lockOrganization } from '../organizations/organizations.ts';
import { ROLES, type Role } from './people.ts';

async function findRole(
  database: Kysely<ControlTables>,
  { organizationId, personId }: { readonly organizationId: string; readonly personId: string },
): Promise<Role | undefined> {
  const row = await database
    .selectFrom('members')
    .select('role')
    .where('organization_id', '=', organizationId)
    .where('person_id', '=', personId)
    .executeTakeFirst();
  return row === undefined ? undefined : getWord(ROLES, row.role);
}

/**
 * Keeps others from changing who belongs to the organization until the transaction ends, and checks that `actor` may do what only
 * owners and operators may: rejects with `usage` for a member, and for a person who doesn't belong to it with `not_found`, as if it
 * weren't there.
 */
export async function lockAsOwner(
  transaction: Transaction<ControlTables>,
  organizationId: string,
  actor: Actor,
): Promise<void> {
  if ((await lockAsMember(transaction, organizationId, actor)) === 'owner') return;
  throw new AppError('usage', 'only an owner of the organization may do that');
}

/** The same for what members may do as well; an operator counts as an owner. */
export async function lockAsMember(
  transaction: Transaction<ControlTables>,
  organizationId: string,
  actor: Actor,
): Promise<Role> {
  await lockOrganization(transaction, organizationId);
  return assertMember(transaction, organizationId, actor);
}

export async function assertMember(
  database: Kysely<ControlTables>,
  organizationId: string,
  actor: Actor,
): Promise<Role> {
  if ('operator' in actor) return 'owner';
  const role = await findRole(database, { organizationId, personId: actor.person.id });
  if (role === undefined) throw new AppError('not_found', `there is no organization ${organizationId}`);
  return role;
}
