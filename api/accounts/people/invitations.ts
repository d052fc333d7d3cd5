import { AppError } from '../../../runtime/errors.ts';
import { newId } from '../../../runtime/ulid.ts';
import { type Database, parseEnum, type Transaction } from '../../database/tables/tables.ts';
import { addressOf, auditName } from '../actor.ts';
import { limitedOrigin } from '../address-limit.ts';
import type { AuditedChanges } from '../audit.ts';
import { hashOfToken } from '../organizations/token-form.ts';
import { findMemberByEmail, insertMember } from './memberships.ts';
import type { PeopleParts } from './open-members.ts';
import { INVITATION_MS, linkTo, type Membership, ROLES, type Role, type TooMany } from './people.ts';
import { invitationMail } from './people-mails.ts';
import { assertMember, emailFrom, lockAsOwner } from './person.ts';

/** Limit for a console page. */
const OWN_MAX = 50;

/**
 * For owners. Only the email has the token; the table has its hash. Replaces an open invitation of the address. Over
 * the address's email limit the invitation appears in the console only.
 */
export async function invite(
  input: { readonly organizationId: string; readonly email: string; readonly role: Role },
  changes: AuditedChanges,
  { settings, limits, outbox }: PeopleParts,
): Promise<SentInvitation> {
  const { actor } = changes;
  const { organizationId, role } = input;
  const email = emailFrom(input.email);
  outbox.assertRoom();
  // Checked before counting, so that strangers can't use up limits.
  await changes.change((transaction) => lockAsOwner(transaction, organizationId, actor));
  assertNotTooMany(await hitLimits(organizationId, email, { changes, limits }));
  const token = Buffer.from(changes.newSecret()).toString('base64url');
  const invitation = await changes.change(async (transaction, note) => {
    await lockAsOwner(transaction, organizationId, actor);
    if ((await findMemberByEmail(transaction, organizationId, email)) !== undefined)
      throw new AppError('usage', `${email} is already a member of the organization`);
    const open = invitationsOf(transaction, organizationId);
    await transaction
      .deleteFrom('invitations')
      .where('id', 'in', open.where('email', '=', email))
      .execute();
    await assertRoom(transaction, { organizationId, now: changes.now(), max: settings.limits.invitations });
    const [id, now] = [newId('invitation'), changes.now().getTime()];
    const row = { id, organization_id: organizationId, email, role, invited_by: auditName(actor), created_at: now };
    await transaction
      .insertInto('invitations')
      .values({ ...row, token_hash: hashOfToken(token), expires_at: now + INVITATION_MS })
      .execute();
    await note({ organizationId, action: 'member.invite', subjectId: id, details: { email, role } });
    return getInvitation(transaction, id);
  });
  if ((await limits.hit('invitationsPerAddress', email)) !== undefined) return { ...invitation, isMailed: false };
  const { publicUrl } = settings;
  const link = linkTo('invitation', token, publicUrl);
  const invitedBy = 'person' in actor ? actor.person.email : 'The operator';
  const { organizationName } = invitation;
  outbox.send(invitationMail({ to: email, link, publicUrl, organizationName, role, invitedBy }));
  return { ...invitation, isMailed: true };
}

/** Open ones, newest first. */
export function listInvitations(organizationId: string, changes: AuditedChanges): Promise<readonly Invitation[]> {
  return changes.read(async (database) => {
    await assertMember(database, organizationId, changes.actor);
    const rows = await selectInvitations(database)
      .where('invitations.organization_id', '=', organizationId)
      .where('invitations.expires_at', '>', changes.now().getTime())
      .orderBy('invitations.id', 'desc')
      .execute();
    return rows.map(invitationFromRow);
  });
}

/** Open ones for the acting person's address, newest first. */
export async function listOwnInvitations(changes: AuditedChanges): Promise<readonly Invitation[]> {
  if (!('person' in changes.actor)) throw new AppError('usage', 'an operator has no invitations');
  const { email } = changes.actor.person;
  return changes.read(async (database) => {
    const rows = await selectInvitations(database)
      .where('invitations.email', '=', email)
      .where('invitations.expires_at', '>', changes.now().getTime())
      .orderBy('invitations.id', 'desc')
      .limit(OWN_MAX)
      .execute();
    return rows.map(invitationFromRow);
  });
}

/** For owners. */
export function revokeInvitation(
  { organizationId, invitationId }: { readonly organizationId: string; readonly invitationId: string },
  changes: AuditedChanges,
): Promise<Invitation> {
  return changes.change(async (transaction, note) => {
    await lockAsOwner(transaction, organizationId, changes.actor);
    const invitation = await findBy(transaction, 'id', invitationId);
    if (invitation?.organizationId !== organizationId)
      throw new AppError('not_found', `there is no invitation ${invitationId}`);
    await transaction.deleteFrom('invitations').where('id', '=', invitationId).execute();
    const details = { email: invitation.email, role: invitation.role };
    await note({ organizationId, action: 'invitation.revoke', subjectId: invitationId, details });
    return invitation;
  });
}

/** Undefined if expired, used, replaced or revoked. */
export function findInvitation(token: string, changes: AuditedChanges): Promise<Invitation | undefined> {
  return changes.read(async (database) => {
    const invitation = await findBy(database, 'token_hash', hashOfToken(token));
    return invitation !== undefined && invitation.expiresAt > changes.now() ? invitation : undefined;
  });
}

/**
 * Uses up the invitation. Rejects with `not_found` if it expired, was used, replaced or revoked, and with `usage` if it
 * is for another address.
 * @param token of the link, or the id
 */
export async function acceptInvitation(token: string, changes: AuditedChanges): Promise<Membership> {
  if (!('person' in changes.actor)) throw new AppError('usage', 'only a person can accept an invitation');
  const { person } = changes.actor;
  return changes.change(async (transaction, note) => {
    // Deleting first locks the row, so one of several parallel calls succeeds; failures roll back. Ids aren't secret:
    // the address is checked below.
    const accepted = await transaction
      .deleteFrom('invitations')
      .where(({ eb, or }) => or([eb('token_hash', '=', hashOfToken(token)), eb('id', '=', token)]))
      .where('expires_at', '>', changes.now().getTime())
      .returningAll()
      .executeTakeFirst();
    if (accepted === undefined) throw new AppError('not_found', 'the invitation has expired, was used or was revoked');
    if (accepted.email !== person.email)
      throw new AppError(
        'usage',
        'the invitation is for another email address: sign in with that address to accept it',
      );
    const { organization_id: organizationId, id } = accepted;
    const since = changes.now();
    const invited = { organizationId, personId: person.id, role: parseEnum(ROLES, accepted.role), since };
    const role = await insertMember(transaction, invited);
    const details = { email: person.email, role, invitation_id: id, invited_by: accepted.invited_by };
    await note({ organizationId, action: 'member.accept', subjectId: person.id, details });
    const { name } = await transaction
      .selectFrom('organizations')
      .select('name')
      .where('id', '=', organizationId)
      .executeTakeFirstOrThrow();
    return { organizationId, organizationName: name, role, since };
  });
}

async function hitLimits(
  organizationId: string,
  email: string,
  { changes, limits }: Pick<PeopleParts, 'limits'> & { readonly changes: AuditedChanges },
): Promise<TooMany | undefined> {
  const address = addressOf(changes.actor);
  return (
    (address === null ? undefined : await limits.hit('mailsPerOrigin', limitedOrigin(address))) ??
    (await limits.hit('invitationsPerOrganization', organizationId)) ??
    (await limits.hit('invitationsPerPair', `${organizationId} ${email}`))
  );
}

function assertNotTooMany(tooMany: TooMany | undefined): void {
  if (tooMany === undefined) return;
  const minutes = Math.ceil(tooMany.retryAfterSeconds / 60);
  throw new AppError('usage', `too many invitations; the next one can be sent in ${minutes} min`);
}

function invitationsOf(database: Database, organizationId: string) {
  return database.selectFrom('invitations').select('id').where('organization_id', '=', organizationId);
}

/** Requires the organization's lock. */
async function assertRoom(
  transaction: Transaction,
  { organizationId, now, max }: { readonly organizationId: string; readonly now: Date; readonly max: number },
): Promise<void> {
  const open = await invitationsOf(transaction, organizationId).where('expires_at', '>', now.getTime()).execute();
  if (open.length >= max)
    throw new AppError('usage', `the organization has ${max} open invitations, the maximum; revoke one first`);
}

export interface SentInvitation extends Invitation {
  /** False: only the console shows the invitation. */
  readonly isMailed: boolean;
}

/** One row per invitation. */
function selectInvitations(database: Database) {
  return database
    .selectFrom('invitations')
    .innerJoin('organizations', 'organizations.id', 'invitations.organization_id')
    .selectAll('invitations')
    .select('organizations.name as organization_name');
}

type SelectedInvitation = Awaited<ReturnType<ReturnType<typeof selectInvitations>['executeTakeFirstOrThrow']>>;

function invitationFromRow(row: SelectedInvitation) {
  return {
    /** `invitation_` and a ULID; not secret. */
    id: row.id,
    organizationId: row.organization_id,
    organizationName: row.organization_name,
    email: row.email,
    role: parseEnum(ROLES, row.role),
    /** As named in the audit log. */
    invitedBy: row.invited_by,
    createdAt: new Date(row.created_at),
    expiresAt: new Date(row.expires_at),
  };
}

export type Invitation = Readonly<ReturnType<typeof invitationFromRow>>;

async function findBy(database: Database, by: 'id' | 'token_hash', value: string): Promise<Invitation | undefined> {
  const row = await selectInvitations(database).where(`invitations.${by}`, '=', value).executeTakeFirst();
  return row === undefined ? undefined : invitationFromRow(row);
}

async function getInvitation(database: Database, id: string): Promise<Invitation> {
  const invitation = await findBy(database, 'id', id);
  if (invitation === undefined) throw new Error(`the invitation ${id} was not stored`);
  return invitation;
}
