import { sql } from 'kysely';
import { z } from 'zod';
import { AppError } from '../../../runtime/errors.ts';
import { type Database, parseEnum, type Transaction } from '../../database/tables/tables.ts';
import type { Actor, Person } from '../actor.ts';
import { lockOrganization } from '../organizations/organizations.ts';
import { type MemberKey, ROLES, type Role } from './people.ts';

/** The columns of {@link personFromRow}. */
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

/** The format of instants in better-auth's tables, on both engines. */
export function storedInstant(date: Date): string {
  return date.toISOString();
}

export async function findPersonByEmail(database: Database, email: string): Promise<Person | undefined> {
  const row = await database.selectFrom('people').select(PERSON_COLUMNS).where('email', '=', email).executeTakeFirst();
  return row === undefined ? undefined : personFromRow(row);
}

/**
 * The person of this address, created if necessary with the address unverified; the first sign-in by link drops what
 * the person had before.
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
  if (person === undefined) throw new Error(`${email} was not stored`);
  return { ...person, isNew: numInsertedOrUpdatedRows === 1n };
}

/** Locks the person's row until the transaction ends. False if there is none. */
export async function lockPerson(transaction: Transaction, id: string): Promise<boolean> {
  const { numUpdatedRows } = await transaction
    .updateTable('people')
    .set(({ ref }) => ({ name: ref('name') }))
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  return numUpdatedRows === 1n;
}

/** Longest email address (RFC 5321). */
const LENGTH_MAX = 254;
/** The part before the @, which zod doesn't limit. */
const LOCAL_LENGTH_MAX = 64;
const Email = z.email();

/** An email address as stored and compared: trimmed, lower case. Undefined if invalid. */
export function normalisedEmail(text: string): string | undefined {
  if (text.length > 2 * LENGTH_MAX) return undefined; // Skips validating long texts.
  const email = text.trim().toLowerCase();
  const isBounded = email.length <= LENGTH_MAX && email.indexOf('@') <= LOCAL_LENGTH_MAX;
  return isBounded && Email.safeParse(email).success ? email : undefined;
}

/** As {@link normalisedEmail}, but throws `usage`. */
export function emailFrom(text: string): string {
  const email = normalisedEmail(text);
  if (email !== undefined) return email;
  throw new AppError('usage', 'not an email address; expected for example ada@example.com');
}

/** Requires the person's lock; `exceptId` stays. */
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
  return row === undefined ? undefined : parseEnum(ROLES, row.role);
}

/**
 * Locks the organization's memberships until the transaction ends and requires an owner or operator: rejects with
 * `usage` for a member, and with `not_found` for others, as if it didn't exist.
 */
export async function lockAsOwner(transaction: Transaction, organizationId: string, actor: Actor): Promise<void> {
  if ((await lockAsMember(transaction, organizationId, actor)) === 'owner') return;
  throw new AppError('usage', 'only an owner of the organization may do that');
}

/** As {@link lockAsOwner}, for any member; an operator counts as an owner. */
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
