import type { Kysely, Transaction } from 'kysely';
import { newId } from '../../../../runtime/ulid.ts';
import type { ControlTables } from '../../../database/tables/tables.ts';
import type { Person } from '../../actor.ts';
import type { AuditedChanges } from '../../audit.ts';
import { linkTo, type PeopleSettings, UNDO_MS } from '../people-settings.ts';
import { PERSON_COLUMNS, personFromRow, storedInstant } from '../person.ts';
import { linkHash } from './auth.ts';

/** Sets these rows apart from better-auth's, which are alike: something with a hash that is good for a while. */
const KIND = 'undo-password';

/**
 * Keeps that a change of this person's password can be undone, as a part of the change; resolves to the link, which is nowhere else. The
 * database holds a hash of its token.
 */
export async function insertUndo(
  transaction: Transaction<ControlTables>,
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

/** Whose change the token undoes; undefined where it was used, is over or never was. */
export async function findUndo(database: Kysely<ControlTables>, token: string, now: Date): Promise<Person | undefined> {
  const row = await database
    .selectFrom('verifications')
    .innerJoin('people', 'people.id', 'verifications.value')
    .select(PERSON_COLUMNS)
    .where('verifications.identifier', '=', identifierOf(token))
    .where('verifications.expires_at', '>', storedInstant(now))
    .executeTakeFirst();
  return row && personFromRow(row);
}

/** Uses the token up; false where somebody else just did. */
export async function takeUndo(transaction: Transaction<ControlTables>, token: string): Promise<boolean> {
  const { numDeletedRows } = await transaction
    .deleteFrom('verifications')
    .where('identifier', '=', identifierOf(token))
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}

function identifierOf(token: string): string {
  return `${KIND}:${linkHash(token)}`;
}
