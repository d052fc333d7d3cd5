import { AppError } from '../../../runtime/errors.ts';
import { insertOrganization, type Organization } from '../organizations/organizations.ts';
import { NO_SUBSCRIPTION } from '../plans/terms.ts';
import { insertMember, type MembersDeps } from './memberships.ts';
import type { PeopleSettings } from './people-settings.ts';
import { lockPerson } from './person.ts';

/**
 * Makes an organization on Community with the acting person as its owner, who is told what concerns it. What a person has made counts
 * for good, also after somebody else owns it: else quotas could be multiplied by handing organizations on.
 */
export function createOwnOrganization(
  name: string,
  { actor, changes }: MembersDeps,
  { signUp, limits }: Pick<PeopleSettings, 'signUp' | 'limits'>,
): Promise<Organization> {
  if (!('person' in actor)) throw new AppError('usage', 'who makes an organization for itself has to be a person');
  if (signUp !== 'open') throw new AppError('usage', 'here organizations are made by the operator');
  const { person } = actor;
  return changes.change(async (transaction, note) => {
    if (!(await lockPerson(transaction, person.id))) throw new AppError('not_found', `there is no person ${person.id}`);
    const own = transaction.selectFrom('organizations').select('id').where('created_by', '=', person.id);
    if ((await own.execute()).length >= limits.ownOrganizations)
      throw new AppError('usage', `one person can make ${limits.ownOrganizations} organizations; ask us for more`);
    const made = { name, email: person.email, subscription: NO_SUBSCRIPTION, createdBy: person.id };
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
