import { AppError } from '../../../../runtime/errors.ts';
import { emailFrom } from '../email-address.ts';
import { passwordRemovedMail } from '../mails/people-mails.ts';
import { CONSOLE_PATHS, type Person } from '../people.ts';
import { findPersonByEmail, lockPerson } from '../person.ts';
import { deletePassword } from '../stored-password.ts';
import type { InvitationsDeps } from './invitations.ts';

/** See `Members.removePassword`. */
export async function removePasswordOf(
  text: string,
  { actor, changes, outbox, settings: { publicUrl } }: InvitationsDeps,
): Promise<Person> {
  if (!('operator' in actor)) throw new AppError('usage', 'only an operator may do that');
  const email = emailFrom(text);
  const person = await changes.read((database) => findPersonByEmail(database, email));
  if (person === undefined) throw new AppError('not_found', `there is no person ${email}`);
  await changes.change(async (transaction, note) => {
    await lockPerson(transaction, person.id);
    if (!(await deletePassword(transaction, person.id))) throw new AppError('usage', `${email} has no password`);
    await transaction.deleteFrom('sessions').where('person_id', '=', person.id).execute();
    const details = { email };
    await note({ organizationId: null, action: 'person.remove_password', subjectId: person.id, details });
  });
  outbox.send(passwordRemovedMail({ to: email, link: `${publicUrl}${CONSOLE_PATHS.home}/sign-in`, publicUrl }));
  return person;
}
