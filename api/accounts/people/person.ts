import { sql } from 'kysely';
import { z } from 'zod';
import { AppError } from '../../../runtime/errors.ts';
import { type Database, getWord, type Transaction } from '../../database/tables/tables.ts';
import type { Actor, Person } from '../actor.ts';
import { lockOrganization } from '../organizations/organizations.ts';
import { type MemberKey, ROLES, type Role } from './people.ts';

/** What of a person's row a {@link Person} is made of. */
export const PERSON_COLUMNS = [
  'people.id as person_id',
  'people.email as person_email',
  'people.created_at as person_created_at',
] as const;

export function personFromRow(row: {
  readonly person_id: string;
  readonly person_email: string;
  readonly person_created_at: Date | string;
}): Person {
  return { id: row.person_id, email: row.person_email, createdAt: new Date(row.person_created_at) };
}

/** An instant as the tables of better-auth are written and compared with, on both engines. */
export function storedInstant(date: Date): string {
  return date.toISOString();
}

export async function findPersonByEmail(database: Database, email: string): Promise<Person | undefined> {
  const row = await database.selectFrom('people').select(PERSON_COLUMNS).where('email', '=', email).executeTakeFirst();
  return row === undefined ? undefined : personFromRow(row);
}

/**
 * The person of this address, made where there is none: that somebody reads the address's mail is not proven by it, and what such
 * a person had before the first link is dropped then.
 */
export async function ensurePerson(
  transaction: Transaction,
  { id, email, now }: { readonly id: string; readonly email: string; readonly now: Date },
): Promise<Person & { readonly isNew: boolean }> {
  const at = storedInstant(now);
  const { numInsertedOrUpdatedRows } = await transaction
    .insertInto('people')
    .values({ id, name: '', email, email_verified: sql<boolean>`false`, created_at: at, updated_at: at })
    .onConflict((conflict) => conflict.column('email').doNothing())
    .executeTakeFirstOrThrow();
  const person = await findPersonByEmail(transaction, email);
  if (person === undefined) throw new Error(`${email} was not kept`);
  return { ...person, isNew: numInsertedOrUpdatedRows === 1n };
}

/** Writes nothing new, but keeps others from changing what is the person's until the transaction ends. False where there is none. */
export async function lockPerson(transaction: Transaction, id: string): Promise<boolean> {
  const { numUpdatedRows } = await transaction
    .updateTable('people')
    .set(({ ref }) => ({ name: ref('name') }))
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  return numUpdatedRows === 1n;
}

/** What mail itself allows (RFC 5321): longer ones are no addresses. */
const LENGTH_MAX = 254;
/** The part before the @, which zod doesn't bound. */
const LOCAL_LENGTH_MAX = 64;
const Email = z.email();

/** An address of mail as it is kept and compared: without surrounding white space, in lower case. Undefined where it can be none. */
export function normalisedEmail(text: string): string | undefined {
  if (text.length > 2 * LENGTH_MAX) return undefined; // Nothing long is looked at.
  const email = text.trim().toLowerCase();
  const isBounded = email.length <= LENGTH_MAX && email.indexOf('@') <= LOCAL_LENGTH_MAX;
  return isBounded && Email.safeParse(email).success ? email : undefined;
}

/** The same; throws `usage` where it can be none. */
export function emailFrom(text: string): string {
  const email = normalisedEmail(text);
  if (email !== undefined) return email;
  throw new AppError('usage', 'that is no address of mail; it must be like ada@example.com');
}

/** Ends the sessions of a locked person; `exceptId` stays. */
export async function deleteSessions(transaction: Transaction, personId: string, exceptId?: string): Promise<void> {
  const all = transaction.deleteFrom('sessions').where('person_id', '=', personId);
  await (exceptId === undefined ? all : all.where('id', '!=', exceptId)).execute();
}

async function findRole(database: Database, { organizationId, personId }: MemberKey): Promise<Role | undefined> {
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
export async function lockAsOwner(transaction: Transaction, organizationId: string, actor: Actor): Promise<void> {
  if ((await lockAsMember(transaction, organizationId, actor)) === 'owner') return;
  throw new AppError('usage', 'only an owner of the organization may do that');
}

/** The same for what members may do as well; an operator counts as an owner. */
export async function lockAsMember(transaction: Transaction, organizationId: string, actor: Actor): Promise<Role> {
  await lockOrganization(transaction, organizationId);
  return assertMember(transaction, organizationId, actor);
}

export async function assertMember(database: Database, organizationId: string, actor: Actor): Promise<Role> {
  if ('operator' in actor) return 'owner';
  const role = await findRole(database, { organizationId, personId: actor.person.id });
  if (role === undefined) throw new AppError('not_found', `there is no organization ${organizationId}`);
  return role;
}
