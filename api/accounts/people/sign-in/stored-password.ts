import { hash } from 'node:crypto';
import { AppError } from '../../../../runtime/errors.ts';
import { newId } from '../../../../runtime/ulid.ts';
import type { Database, Transaction } from '../../../database/tables/tables.ts';
import type { Person } from '../../actor.ts';
import type { AuditedChanges } from '../../audit.ts';
import type { PeopleParts } from '../open-members.ts';
import { CONSOLE_PATHS, linkTo, type PeopleSettings, UNDO_MS } from '../people.ts';
import { passwordRemovedMail } from '../people-mails.ts';
import {
  deleteSessions,
  emailFrom,
  findPersonByEmail,
  lockPerson,
  PERSON_COLUMNS,
  personFromRow,
  storedInstant,
} from '../person.ts';

/** better-auth's provider id for passwords. */
const PROVIDER = 'credential';

/** The stored hash; undefined if none was set. */
export async function readPassword(
  database: Database,
  personId: string,
): Promise<{ readonly id: string; readonly password: string } | undefined> {
  const row = await database
    .selectFrom('sign_in_accounts')
    .select(['id', 'password'])
    .where('person_id', '=', personId)
    .where('provider_id', '=', PROVIDER)
    .executeTakeFirst();
  return row === undefined || row.password === null ? undefined : { id: row.id, password: row.password };
}

export async function readPasswordOf(database: Database, email: string): Promise<string | undefined> {
  const row = await database
    .selectFrom('people')
    .innerJoin('sign_in_accounts', 'sign_in_accounts.person_id', 'people.id')
    .select('sign_in_accounts.password')
    .where('people.email', '=', email)
    .where('sign_in_accounts.provider_id', '=', PROVIDER)
    .executeTakeFirst();
  return row?.password ?? undefined;
}

export async function insertPassword(
  transaction: Transaction,
  row: { readonly id: string; readonly person_id: string; readonly password: string; readonly updated_at: string },
): Promise<void> {
  const { person_id, updated_at } = row;
  await transaction
    .insertInto('sign_in_accounts')
    .values({ ...row, account_id: person_id, provider_id: PROVIDER, created_at: updated_at })
    .execute();
}

/** Requires the person's lock. False if there was none. */
export async function deletePassword(transaction: Transaction, personId: string): Promise<boolean> {
  const { numDeletedRows } = await transaction
    .deleteFrom('sign_in_accounts')
    .where('person_id', '=', personId)
    .where('provider_id', '=', PROVIDER)
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}

/**
 * For operators. Ends the person's sessions and emails them. Rejects with `not_found`, and with `usage` if there is no
 * password.
 */
export async function removePassword(
  text: string,
  changes: AuditedChanges,
  { outbox, settings: { publicUrl } }: Pick<PeopleParts, 'outbox' | 'settings'>,
): Promise<Person> {
  if (!('operator' in changes.actor)) throw new AppError('usage', 'only an operator may do that');
  const email = emailFrom(text);
  const person = await changes.read((database) => findPersonByEmail(database, email));
  if (person === undefined) throw new AppError('not_found', `there is no person ${email}`);
  await changes.change(async (transaction, note) => {
    await lockPerson(transaction, person.id);
    if (!(await deletePassword(transaction, person.id))) throw new AppError('usage', `${email} has no password`);
    await deleteSessions(transaction, person.id);
    const details = { email };
    await note({ organizationId: null, action: 'person.remove_password', subjectId: person.id, details });
  });
  outbox.send(passwordRemovedMail({ to: email, link: `${publicUrl}${CONSOLE_PATHS.home}/sign-in`, publicUrl }));
  return person;
}

/** Distinguishes these rows from better-auth's. */
const KIND = 'undo-password';

/** Resolves to the undo link; the database has only the token's hash. */
export async function insertUndo(
  transaction: Transaction,
  person: Pick<Person, 'id'>,
  { changes, publicUrl }: { readonly changes: AuditedChanges; readonly publicUrl: PeopleSettings['publicUrl'] },
): Promise<string> {
  const token = Buffer.from(changes.newSecret()).toString('base64url');
  const now = changes.now();
  const times = { created_at: storedInstant(now), updated_at: storedInstant(now) };
  const expires_at = storedInstant(new Date(now.getTime() + UNDO_MS));
  const row = { id: newId('verification'), identifier: identifierOf(token), value: person.id };
  await transaction
    .insertInto('verifications')
    .values({ ...row, ...times, expires_at })
    .execute();
  return linkTo('undoPassword', token, publicUrl);
}

/** Undefined if used, expired or unknown. */
export async function findUndo(database: Database, token: string, now: Date): Promise<Person | undefined> {
  const row = await database
    .selectFrom('verifications')
    .innerJoin('people', 'people.id', 'verifications.value')
    .select(PERSON_COLUMNS)
    .where('verifications.identifier', '=', identifierOf(token))
    .where('verifications.expires_at', '>', storedInstant(now))
    .executeTakeFirst();
  return row && personFromRow(row);
}

/** False if already used. */
export async function consumeUndo(transaction: Transaction, token: string): Promise<boolean> {
  const { numDeletedRows } = await transaction
    .deleteFrom('verifications')
    .where('identifier', '=', identifierOf(token))
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}

function identifierOf(token: string): string {
  return `${KIND}:${linkHash(token)}`;
}

/** A link's token as better-auth stores it with `storeToken: 'hashed'`. */
export function linkHash(token: string): string {
  return hash('sha256', token, 'base64url');
}
