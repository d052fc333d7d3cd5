import type { Kysely, Transaction } from 'kysely';
import { AppError } from '../../../../runtime/errors.ts';
import type { ControlTables } from '../../../database/tables/tables.ts';
import type { Person } from '../../actor.ts';
import type { AuditedChanges } from '../../audit.ts';
import type { PeopleParts } from '../open-members.ts';
import { CONSOLE_PATHS } from '../people.ts';
import { passwordRemovedMail } from '../people-mails.ts';
import { deleteSessions, emailFrom, findPersonByEmail, lockPerson } from '../person.ts';

/** What better-auth calls a password among the ways to prove who somebody is. */
const PROVIDER = 'credential';

/** A person's password as it is kept; undefined where none was set. */
export async function readPassword(
  database: Kysely<ControlTables>,
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

/** The same of an address, which may be nobody's. */
export async function readPasswordOf(database: Kysely<ControlTables>, email: string): Promise<string | undefined> {
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
  transaction: Transaction<ControlTables>,
  row: { readonly id: string; readonly person_id: string; readonly password: string; readonly updated_at: string },
): Promise<void> {
  const { person_id, updated_at } = row;
  await transaction
    .insertInto('sign_in_accounts')
    .values({ ...row, account_id: person_id, provider_id: PROVIDER, created_at: updated_at })
    .execute();
}

/** Of a locked person. False where there was none. */
export async function deletePassword(transaction: Transaction<ControlTables>, personId: string): Promise<boolean> {
  const { numDeletedRows } = await transaction
    .deleteFrom('sign_in_accounts')
    .where('person_id', '=', personId)
    .where('provider_id', '=', PROVIDER)
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}

/**
 * For operators: takes the password of a person away, who has forgotten it, ends their sessions, and tells them by mail; a link lets
 * them set another. Rejects with `not_found`, and with `usage` where there is none.
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
