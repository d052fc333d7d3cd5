import { AppError } from '../../../runtime/errors.ts';
import type { AuditedChanges } from '../audit.ts';
import { insertOrganization, type Organization } from '../organizations/organizations.ts';
import { insertMember } from './memberships.ts';
import type { PeopleParts } from './open-members.ts';
import { lockPerson } from './person.ts';

/**
 * Makes an organization on Community with the acting person as its owner, who is told what concerns it. What a person has made counts
 * for good, also after somebody else owns it: else quotas could be multiplied by handing organizations on. Rejects with `usage` where
 * the person has made as many as one may, or sign-up is by invitation.
 */
export async function createOwnOrganization(
  name: string,
  changes: AuditedChanges,
  { settings: { signUp, limits } }: Pick<PeopleParts, 'settings'>,
): Promise<Organization> {
  if (!('person' in changes.actor))
    throw new AppError('usage', 'who makes an organization for itself has to be a person');
  if (signUp !== 'open') throw new AppError('usage', 'here organizations are made by the operator');
  const { person } = changes.actor;
  return changes.change(async (transaction, note) => {
    if (!(await lockPerson(transaction, person.id))) throw new AppError('not_found', `there is no person ${person.id}`);
    const own = transaction.selectFrom('organizations').select('id').where('created_by', '=', person.id);
    if ((await own.execute()).length >= limits.ownOrganizations)
      throw new AppError('usage', `one person can make ${limits.ownOrganizations} organizations; ask us for more`);
    const made = { name, email: person.email, createdBy: person.id };
    const organization = await insertOrganization(transaction, made, { changes, note });
    const member = {
      organizationId: organization.id,
      personId: person.id,
      role: 'owner',
      since: changes.now(),
    } as const;
    await insertMember(transaction, member);
    const details = { email: person.email, role: 'owner', is_new_person: false };
    await note({ organizationId: organization.id, action: 'member.add', subjectId: person.id, details });
    return organization;
  });
}
