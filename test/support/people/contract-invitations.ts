import { describe, expect, test } from 'vitest';
import { SYSTEM } from '../../../api/accounts/actor.ts';
import {
  acceptInvitation,
  findInvitation,
  invite,
  listInvitations,
  listOwnInvitations,
  revokeInvitation,
} from '../../../api/accounts/people/invitations.ts';
import {
  addMember,
  createOwnOrganization,
  listMembers,
  listMemberships,
} from '../../../api/accounts/people/memberships.ts';
import { getOf, ORIGIN, type PeopledOrganization, type PeopleSubject, sent } from './use-people.ts';

const DAY_MS = 86_400_000;

export function describeInvitations(subject: PeopleSubject): void {
  const as = ({ sessions }: PeopledOrganization, email: string) =>
    subject.people.as({ person: getOf(sessions, email).person, origin: ORIGIN });
  const acme = () => subject.organization({ 'ada@example.com': 'owner' });
  const inviting = (
    organization: PeopledOrganization,
    email = 'bob@example.com',
    role: 'owner' | 'member' = 'member',
  ) => invite({ organizationId: organization.id, email, role }, as(organization, 'ada@example.com'), subject.people);
  /** An organization that has invited bob, and the token in his mail. */
  const invited = async () => {
    const organization = await acme();
    const invitation = await inviting(organization);
    return { organization, invitation, token: await subject.tokenFor('bob@example.com') };
  };
  const eve = async () => {
    const { person } = (await subject.signIn('eve@example.com')).session;
    return { id: person.id, members: subject.people.as({ person, origin: ORIGIN }) };
  };
  const bob = async () =>
    subject.people.as({ person: (await subject.signIn('bob@example.com')).session.person, origin: ORIGIN });

  describe('invitations', () => {
    test('who is invited by mail accepts it signed in with that address, and belongs to the organization', async () => {
      const organization = await acme();
      const invitation = await inviting(organization, ' Bob@Example.com', 'owner');
      const token = await subject.tokenFor('bob@example.com');
      expect(invitation).toMatchObject({
        isMailed: true,
        id: expect.stringMatching(/^invitation_/),
        organizationId: organization.id,
        organizationName: 'Acme',
        email: 'bob@example.com',
        role: 'owner',
        invitedBy: 'person:ada@example.com',
        expiresAt: new Date(Date.now() + 7 * DAY_MS),
      });
      expect(invitation).toMatchObject((await findInvitation(token, subject.people.as(SYSTEM))) ?? {});
      const membership = await acceptInvitation(token, await bob());
      expect(membership).toMatchObject({ organizationId: organization.id, organizationName: 'Acme', role: 'owner' });
      expect(await listMembers(organization.id, as(organization, 'ada@example.com'))).toHaveLength(2);
      expect(await findInvitation(token, subject.people.as(SYSTEM))).toBeUndefined();
      const lines = await subject.audit();
      expect(lines[0]).toMatchObject({
        action: 'member.accept',
        actor: 'person:bob@example.com',
        origin: ORIGIN.address,
      });
      expect(lines.find(({ action }) => action === 'member.invite')).toMatchObject({ subject_id: invitation.id });
    });

    test('the mail says who invites where, and the table keeps a hash of its link', async () => {
      const organization = await acme();
      await inviting(organization);
      await sent();
      const mail = subject.mails.at(-1);
      expect(mail).toMatchObject({ to: 'bob@example.com', subject: 'Invitation at stats.example.com' });
      expect(mail?.text).toContain('ada@example.com invites you to “Acme” at https://stats.example.com, as a member.');
      expect(mail?.link).toMatch(/^https:\/\/stats\.example\.com\/console\/invitations\/accept\?token=[\w-]{43}$/);
      const rows = await subject.database.kysely.selectFrom('invitations').selectAll().execute();
      expect(JSON.stringify(rows)).not.toContain(await subject.tokenFor('bob@example.com'));
    });

    test('the mail has no link but ours, whatever the organization was called before there were rules for names', async () => {
      const organization = await acme();
      const name = 'Win a prize https://evil.example\nand www.evil.example';
      await subject.database.kysely.updateTable('organizations').set({ name }).execute();
      await inviting(organization);
      await sent();
      const { text = '', link = '' } = subject.mails.at(-1) ?? {};
      expect(text).toContain('to “Win a prize https[:]//evil[.]example and www[.]evil[.]example” at');
      expect(text.match(/\S+:\/\/\S+/g)).toEqual(['https://stats.example.com,', link]);
    });

    test('an invitation is for its address alone, and stays open when somebody else tries it', async () => {
      const { token } = await invited();
      const { id, members } = await eve();
      await expect(acceptInvitation(token, members)).rejects.toMatchObject({ code: 'usage' });
      expect(await listMemberships(id, members)).toEqual([]);
      expect(await acceptInvitation(token, await bob())).toMatchObject({ role: 'member' });
    });

    test('an invitation works once, also for two at the same moment', async () => {
      const { token } = await invited();
      const person = await bob();
      const results = await Promise.allSettled([acceptInvitation(token, person), acceptInvitation(token, person)]);
      expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
      await expect(acceptInvitation(token, person)).rejects.toMatchObject({ code: 'not_found' });
    });

    test('an invitation is good for 7 days', async () => {
      const { organization, token } = await invited();
      subject.advance(7 * DAY_MS - 1);
      expect(await findInvitation(token, subject.people.as(SYSTEM))).toBeDefined();
      subject.advance(1);
      expect(await findInvitation(token, subject.people.as(SYSTEM))).toBeUndefined();
      expect(await listInvitations(organization.id, as(organization, 'ada@example.com'))).toEqual([]);
      await expect(acceptInvitation(token, await bob())).rejects.toMatchObject({ code: 'not_found' });
    });

    test('one that is over is removed within the hour', async () => {
      await inviting(await acme());
      subject.advance(8 * DAY_MS);
      await subject.people.sessions.find('x=1');
      const { kysely } = subject.database;
      await expect.poll(() => kysely.selectFrom('invitations').selectAll().execute()).toEqual([]);
    });

    test('one that was taken back is over, and only its organization can do it', async () => {
      const { organization, invitation, token } = await invited();
      const { members } = await eve();
      const own = await createOwnOrganization('Eve & Co', members, subject.people);
      const invitationId = invitation.id;
      const foreign = revokeInvitation({ organizationId: own.id, invitationId }, members);
      await expect(foreign).rejects.toMatchObject({ code: 'not_found' });
      const ada = as(organization, 'ada@example.com');
      await revokeInvitation({ organizationId: organization.id, invitationId }, ada);
      expect(await listInvitations(organization.id, ada)).toEqual([]);
      await expect(acceptInvitation(token, await bob())).rejects.toMatchObject({ code: 'not_found' });
    });

    test('inviting again replaces: the newest mail works, the one before does not', async () => {
      const { organization, token: before } = await invited();
      const again = await inviting(organization, 'bob@example.com', 'owner');
      const token = await subject.tokenFor('bob@example.com');
      expect(await listInvitations(organization.id, as(organization, 'ada@example.com'))).toMatchObject([
        { id: again.id },
      ]);
      await expect(acceptInvitation(before, await bob())).rejects.toMatchObject({ code: 'not_found' });
      expect(await acceptInvitation(token, await bob())).toMatchObject({ role: 'owner' });
    });

    test('who belongs to it already is not invited, and keeps the role when an older invitation is accepted', async () => {
      const { organization, token } = await invited();
      const operator = subject.people.as({ operator: 'cli:ada' });
      await addMember({ organizationId: organization.id, email: 'bob@example.com', role: 'owner' }, operator);
      await expect(inviting(organization)).rejects.toMatchObject({ code: 'usage' });
      expect(await acceptInvitation(token, await bob())).toMatchObject({ role: 'owner' });
    });

    test('an organization has 20 open invitations at most, however many are asked for at once', async () => {
      const organization = await acme();
      const { people } = await subject.open({ limits: { invitations: 20, mailsPerOrigin: 1000 } });
      const ada = people.as({ person: getOf(organization.sessions, 'ada@example.com').person, origin: ORIGIN });
      const emails = Array.from({ length: 23 }, (_, index) => `p${index}@example.com`);
      const results = await Promise.allSettled(
        emails.map((email) => invite({ organizationId: organization.id, email, role: 'member' }, ada, people)),
      );
      expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(20);
      subject.advance(DAY_MS);
      const next = invite({ organizationId: organization.id, email: 'one@example.com', role: 'member' }, ada, people);
      await expect(next).rejects.toMatchObject({
        code: 'usage',
        message: expect.stringContaining('20 open invitations'),
      });
    });

    test('one organization sends 3 a day to one address, and takes nothing from links to sign in', async () => {
      const organization = await acme();
      for (let count = 0; count < 3; count += 1) expect(await inviting(organization)).toMatchObject({ isMailed: true });
      await expect(inviting(organization)).rejects.toMatchObject({
        code: 'usage',
        message: expect.stringContaining('480 min'),
      });
      expect(await inviting(organization, 'eve@example.com')).toMatchObject({ isMailed: true });
      expect(await subject.signIn('bob@example.com')).toHaveProperty('session');
    });

    test('an address gets 5 a day by mail, whoever invites it, and is still invited: it finds the others in the console', async () => {
      const operator = subject.people.as({ operator: 'cli:ada' });
      const { kysely } = subject.database;
      for (let count = 0; count < 10; count += 1) {
        const row = { id: `org_of_stranger_${count}`, name: `Win ${count}`, created_at: Date.now() };
        await kysely
          .insertInto('organizations')
          .values({ ...row, email: null, created_by: null })
          .execute();
        await invite({ organizationId: row.id, email: 'bob@example.com', role: 'member' }, operator, subject.people);
      }
      const organization = await acme();
      const invitation = await inviting(organization);
      expect(invitation).toMatchObject({ isMailed: false });
      await sent();
      expect(subject.mails.filter(({ to }) => to === 'bob@example.com')).toHaveLength(5);
      const own = await listOwnInvitations(await bob());
      expect(own).toHaveLength(11);
      expect(own[0]).toMatchObject({ id: invitation.id, organizationName: 'Acme' });
      const { members } = await eve();
      expect(await listOwnInvitations(members)).toEqual([]);
      await expect(acceptInvitation(invitation.id, members)).rejects.toMatchObject({ code: 'usage' });
      expect(await acceptInvitation(invitation.id, await bob())).toMatchObject({ organizationId: organization.id });
      await expect(acceptInvitation(invitation.id, await bob())).rejects.toMatchObject({ code: 'not_found' });
    });

    test('each change of an invitation leaves its line', async () => {
      const organization = await acme();
      const { id: organizationId } = organization;
      const { id: invitationId } = await inviting(organization);
      await revokeInvitation({ organizationId, invitationId }, as(organization, 'ada@example.com'));
      await invite(
        { organizationId, email: 'eve@example.com', role: 'owner' },
        subject.people.as({ operator: 'cli:root' }),
        subject.people,
      );
      const rows = (await subject.audit()).slice(0, 3);
      expect(rows.map(({ actor, action, origin, details }) => [actor, action, origin, JSON.parse(details)])).toEqual([
        ['cli:root', 'member.invite', null, { email: 'eve@example.com', role: 'owner' }],
        ['person:ada@example.com', 'invitation.revoke', ORIGIN.address, { email: 'bob@example.com', role: 'member' }],
        ['person:ada@example.com', 'member.invite', ORIGIN.address, { email: 'bob@example.com', role: 'member' }],
      ]);
    });
  });
}
