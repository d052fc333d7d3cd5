import type { Kysely, Transaction } from 'kysely';
import { AppError } from '../../../runtime/errors.ts';
import type { ControlTables } from '../../database/tables/tables.ts';
import { lockOrganization } from '../organizations/organizations.ts';
import type { Actor, Role } from './people.ts';
import { actorOf, roleFromWord } from './person.ts';

/** Whoever acts, as the audit log names them. */
export function nameOf(actor: Actor): string {
  return 'operator' in actor ? actor.operator : actorOf(actor.person);
}

export async function findRole(
  database: Kysely<ControlTables>,
  { organizationId, personId }: { readonly organizationId: string; readonly personId: string },
): Promise<Role | undefined> {
  const row = await database
    .selectFrom('members')
    .select('role')
    .where('organization_id', '=', organizationId)
    .where('person_id', '=', personId)
    .executeTakeFirst();
  return row === undefined ? undefined : roleFromWord(row.role);
}

/**
 * Keeps others from changing who belongs to the organization until the transaction ends, and checks that `actor` may do what only
 * owners may. Operators may. To who doesn't belong to it, there is no such organization.
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
