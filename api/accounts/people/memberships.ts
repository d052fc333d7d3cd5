import { AppError } from '../../../runtime/errors.ts';
import { newId } from '../../../runtime/ulid.ts';
import { type Database, parseEnum, type Transaction } from '../../database/tables/tables.ts';
import type { AuditedChanges, NoteAudit } from '../audit.ts';
import {
  getOrganization,
  insertOrganization,
  lockOrganization,
  type Organization,
} from '../organizations/organizations.ts';
import { deleteConnections } from './connections.ts';
import type { PeopleParts } from './open-members.ts';
import { type Member, type MemberKey, type Membership, ROLES, type Role } from './people.ts';
import {
  assertMember,
  emailFrom,
  ensurePerson,
  lockAsMember,
  lockAsOwner,
  lockPerson,
  PERSON_COLUMNS,
  personFromRow,
} from './person.ts';

/** Longest membership first. */
export function listMemberships(personId: string, changes: AuditedChanges): Promise<readonly Membership[]> {
  return changes.read(async (database) => {
    const rows = await database
      .selectFrom('members')
      .innerJoin('organizations', 'organizations.id', 'members.organization_id')
      .select(['organizations.id', 'organizations.name', 'members.role', 'members.created_at'])
      .where('members.person_id', '=', personId)
      .orderBy('members.created_at')
      .orderBy('organizations.id')
      .execute();
    return rows.map(({ id, name, role, created_at }) => ({
      organizationId: id,
      organizationName: name,
      role: parseEnum(ROLES, role),
      since: new Date(created_at),
    }));
  });
}

/** Longest membership first. */
export async function listMembers(organizationId: string, changes: AuditedChanges): Promise<readonly Member[]> {
  await getOrganization(organizationId, changes);
  return changes.read(async (database) => {
    await assertMember(database, organizationId, changes.actor);
    const rows = await selectMembers(database)
      .where('members.organization_id', '=', organizationId)
      .orderBy('members.created_at')
      .orderBy('people.id')
      .execute();
    return rows.map(memberFromRow);
  });
}

/** For operators. Creates the person if necessary; an existing member only changes role. */
export async function addMember(
  {
    organizationId,
    email: text,
    role,
  }: Pick<MemberKey, 'organizationId'> & { readonly email: string; readonly role: Role },
  changes: AuditedChanges,
): Promise<Member> {
  if (!('operator' in changes.actor))
    throw new AppError('usage', 'only an operator can add members directly: send an invitation');
  const email = emailFrom(text);
  return changes.change(async (transaction, note) => {
    await lockOrganization(transaction, organizationId);
    const now = changes.now();
    const person = await ensurePerson(transaction, { id: newId('person'), email, now });
    const before = await findMember(transaction, { organizationId, personId: person.id });
    if (before !== undefined) return setRole(transaction, { organizationId, member: before, role }, note);
    await insertMember(transaction, { organizationId, personId: person.id, role, since: now });
    const details = { email, role, is_new_person: person.isNew };
    await note({ organizationId, action: 'member.add', subjectId: person.id, details });
    const { isNew: _, ...known } = person;
    return { person: known, role, since: now };
  });
}

/** For owners. The last owner can't lose the role. */
export function changeRole(
  { role, ...key }: MemberKey & Pick<Member, 'role'>,
  changes: AuditedChanges,
): Promise<Member> {
  return changes.change(async (transaction, note) => {
    await lockAsOwner(transaction, key.organizationId, changes.actor);
    const member = await getMember(transaction, key);
    return setRole(transaction, { organizationId: key.organizationId, member, role }, note);
  });
}

/** For owners, and for members themselves; not for the last owner. */
export function removeMember({ organizationId, personId }: MemberKey, changes: AuditedChanges): Promise<Member> {
  return changes.change(async (transaction, note) => {
    const isOwn = 'person' in changes.actor && changes.actor.person.id === personId;
    if (isOwn) await lockAsMember(transaction, organizationId, changes.actor);
    else await lockAsOwner(transaction, organizationId, changes.actor);
    const member = await getMember(transaction, { organizationId, personId });
    if (member.role === 'owner') await assertOtherOwner(transaction, { organizationId, personId });
    await deleteConnections(transaction, { organizationId, personId });
    await transaction
      .deleteFrom('members')
      .where('organization_id', '=', organizationId)
      .where('person_id', '=', personId)
      .execute();
    const details = { email: member.person.email, role: member.role };
    await note({ organizationId, action: 'member.remove', subjectId: personId, details });
    return member;
  });
}

function selectMembers(database: Database) {
  return database
    .selectFrom('members')
    .innerJoin('people', 'people.id', 'members.person_id')
    .select(['members.role', 'members.created_at'])
    .select(PERSON_COLUMNS);
}

type SelectedMember = Awaited<ReturnType<ReturnType<typeof selectMembers>['executeTakeFirstOrThrow']>>;

function memberFromRow(row: SelectedMember): Member {
  return { person: personFromRow(row), role: parseEnum(ROLES, row.role), since: new Date(row.created_at) };
}

/** An existing member keeps the role. Resolves to the role in force. */
export async function insertMember(
  transaction: Transaction,
  { organizationId, personId, role, since }: MemberKey & Pick<Member, 'role' | 'since'>,
): Promise<Role> {
  const row = { organization_id: organizationId, person_id: personId, role, created_at: since.getTime() };
  await transaction
    .insertInto('members')
    .values(row)
    .onConflict((conflict) => conflict.columns(['organization_id', 'person_id']).doNothing())
    .execute();
  return (await getMember(transaction, { organizationId, personId })).role;
}

export async function findMemberByEmail(
  database: Database,
  organizationId: string,
  email: string,
): Promise<Member | undefined> {
  const row = await selectMembers(database)
    .where('members.organization_id', '=', organizationId)
    .where('people.email', '=', email)
    .executeTakeFirst();
  return row === undefined ? undefined : memberFromRow(row);
}

async function findMember(database: Database, { organizationId, personId }: MemberKey): Promise<Member | undefined> {
  const row = await selectMembers(database)
    .where('members.organization_id', '=', organizationId)
    .where('members.person_id', '=', personId)
    .executeTakeFirst();
  return row === undefined ? undefined : memberFromRow(row);
}

async function getMember(database: Database, key: MemberKey): Promise<Member> {
  const member = await findMember(database, key);
  if (member === undefined) throw new AppError('not_found', `${key.personId} is not a member of ${key.organizationId}`);
  return member;
}

/** Requires the organization's lock. */
async function setRole(
  transaction: Transaction,
  { organizationId, member, role }: { readonly organizationId: string; readonly member: Member; readonly role: Role },
  note: NoteAudit,
): Promise<Member> {
  if (member.role === role) return member;
  const { id } = member.person;
  if (member.role === 'owner') await assertOtherOwner(transaction, { organizationId, personId: id });
  await transaction
    .updateTable('members')
    .set({ role })
    .where('organization_id', '=', organizationId)
    .where('person_id', '=', id)
    .execute();
  const details = { email: member.person.email, from: member.role, to: role };
  await note({ organizationId, action: 'member.change_role', subjectId: id, details });
  return { ...member, role };
}

/** Requires the organization's lock, so that two owners can't leave at once. */
async function assertOtherOwner(transaction: Transaction, { organizationId, personId }: MemberKey): Promise<void> {
  const other = await transaction
    .selectFrom('members')
    .select('person_id')
    .where('organization_id', '=', organizationId)
    .where('role', '=', 'owner')
    .where('person_id', '!=', personId)
    .limit(1)
    .executeTakeFirst();
  if (other === undefined)
    throw new AppError('usage', 'the organization needs an owner: make another member an owner first');
}

/**
 * Makes the acting person owner and contact. Counts toward their maximum even under later owners, or quotas could be
 * multiplied. Rejects with `usage` at the maximum, or if sign-up is by invitation.
 */
export async function createOwnOrganization(
  name: string,
  changes: AuditedChanges,
  { settings: { signUp, limits } }: Pick<PeopleParts, 'settings'>,
): Promise<Organization> {
  if (!('person' in changes.actor))
    throw new AppError('usage', 'only a person can create an organization for themselves');
  if (signUp !== 'open') throw new AppError('usage', 'only the operator creates organizations here');
  const { person } = changes.actor;
  return changes.change(async (transaction, note) => {
    if (!(await lockPerson(transaction, person.id))) throw new AppError('not_found', `there is no person ${person.id}`);
    const own = transaction.selectFrom('organizations').select('id').where('created_by', '=', person.id);
    if ((await own.execute()).length >= limits.ownOrganizations)
      throw new AppError(
        'usage',
        `one person can create ${limits.ownOrganizations} organizations; contact us for more`,
      );
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
