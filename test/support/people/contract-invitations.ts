import { describe, expect, test } from 'vitest';
import { SYSTEM } from '../../../api/accounts/actor.ts';
import { createOrganization } from '../../../api/accounts/organizations/organizations.ts';
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
import type { Role } from '../../../api/accounts/people/people.ts';
import { newestMail, ORIGIN, type PeopleSubject, sent } from './use-people.ts';

const DAY_MS = 86_400_000;

export function describeInvitations(subject: PeopleSubject): void {
  const bob = () => subject.signInAs('bob@example.com');
  /** An organization of ada's, and how she invites to it. */
  const acme = async () => {
    const { id: organizationId, as, personOf } = await subject.organization({ 'ada@example.com': 'owner' });
    const ada = as('ada@example.com');
    const inviting = (email = 'bob@example.com', role: Role = 'member') =>
      invite({ organizationId, email, role }, ada, subject.people);
    return { organizationId, ada, person: personOf('ada@example.com'), inviting };
  };
  /** An organization that has invited bob, and the token in his mail. */
  const invited = async () => {
    const organization = await acme();
    const invitation = await organization.inviting();
    return { ...organization, invitation, token: await subject.tokenFor('bob@example.com') };
  };
  const find = (token: string) => findInvitation(token, subject.people.as(SYSTEM));

  describe('invitations', () => {
    test('who is invited by mail accepts it signed in with that address, and belongs to the organization', async () => {
      const { organizationId, ada, inviting } = await acme();
      const invitation = await inviting(' Bob@Example.com', 'owner');
      const token = await subject.tokenFor('bob@example.com');
      expect(invitation).toMatchObject({
        isMailed: true,
        id: expect.stringMatching(/^invitation_/),
        organizationId,
        organizationName: 'Acme',
        email: 'bob@example.com',
        role: 'owner',
        invitedBy: 'person:ada@example.com',
        expiresAt: new Date(Date.now() + 7 * DAY_MS),
      });
      expect(invitation).toMatchObject((await find(token)) ?? {});
      const membership = await acceptInvitation(token, await bob());
      expect(membership).toMatchObject({ organizationId, organizationName: 'Acme', role: 'owner' });
      expect(await listMembers(organizationId, ada)).toHaveLength(2);
      expect(await find(token)).toBeUndefined();
      const lines = await subject.audit();
      const accepted = { action: 'member.accept', actor: 'person:bob@example.com', origin: ORIGIN.address };
      expect(lines[0]).toMatchObject(accepted);
      expect(lines.find(({ action }) => action === 'member.invite')).toMatchObject({ subject_id: invitation.id });
    });

    test('the mail says who invites where, and the table keeps a hash of its link', async () => {
      const { token } = await invited();
      const { subject: title, text, link } = await newestMail(subject, 'bob@example.com');
      expect(title).toBe('Invitation at stats.example.com');
      expect(text).toContain('ada@example.com invites you to “Acme” at https://stats.example.com, as a member.');
      expect(link).toMatch(/^https:\/\/stats\.example\.com\/console\/invitations\/accept\?token=[\w-]{43}$/);
      expect(JSON.stringify(await subject.rows('invitations'))).not.toContain(token);
    });

    test('the mail has no link but ours, whatever the organization was called before there were rules for names', async () => {
      const { inviting } = await acme();
      const name = 'Win a prize https://evil.example\nand www.evil.example';
      await subject.database.kysely.updateTable('organizations').set({ name }).execute();
      await inviting();
      const { text, link } = await newestMail(subject, 'bob@example.com');
      expect(text).toContain('to “Win a prize https[:]//evil[.]example and www[.]evil[.]example” at');
      expect(text.match(/\S+:\/\/\S+/g)).toEqual(['https://stats.example.com,', link]);
    });

    test('an invitation is for its address alone, and stays open when somebody else tries it', async () => {
      const { token } = await invited();
      const { session } = await subject.signIn('eve@example.com');
      await expect(acceptInvitation(token, subject.as(session))).rejects.toMatchObject({ code: 'usage' });
      expect(await listMemberships(session.person.id, subject.as(session))).toEqual([]);
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
      const { organizationId, ada, token } = await invited();
      subject.advance(7 * DAY_MS - 1);
      expect(await find(token)).toBeDefined();
      subject.advance(1);
      expect(await find(token)).toBeUndefined();
      expect(await listInvitations(organizationId, ada)).toEqual([]);
      await expect(acceptInvitation(token, await bob())).rejects.toMatchObject({ code: 'not_found' });
    });

    test('one that is over is removed within the hour', async () => {
      await invited();
      subject.advance(8 * DAY_MS);
      await subject.people.sessions.find('x=1');
      await expect.poll(() => subject.rows('invitations')).toEqual([]);
    });

    test('one that was taken back is over, and only its organization can do it', async () => {
      const { organizationId, ada, invitation, token } = await invited();
      const eve = await subject.signInAs('eve@example.com');
      const own = await createOwnOrganization('Eve & Co', eve, subject.people);
      const foreign = revokeInvitation({ organizationId: own.id, invitationId: invitation.id }, eve);
      await expect(foreign).rejects.toMatchObject({ code: 'not_found' });
      await revokeInvitation({ organizationId, invitationId: invitation.id }, ada);
      expect(await listInvitations(organizationId, ada)).toEqual([]);
      await expect(acceptInvitation(token, await bob())).rejects.toMatchObject({ code: 'not_found' });
    });

    test('inviting again replaces: the newest mail works, the one before does not', async () => {
      const { organizationId, ada, inviting, token: before } = await invited();
      const again = await inviting('bob@example.com', 'owner');
      const token = await subject.tokenFor('bob@example.com');
      expect(await listInvitations(organizationId, ada)).toMatchObject([{ id: again.id }]);
      await expect(acceptInvitation(before, await bob())).rejects.toMatchObject({ code: 'not_found' });
      expect(await acceptInvitation(token, await bob())).toMatchObject({ role: 'owner' });
    });

    test('who belongs to it already is not invited, and keeps the role when an older invitation is accepted', async () => {
      const { organizationId, inviting, token } = await invited();
      await addMember({ organizationId, email: 'bob@example.com', role: 'owner' }, subject.operator());
      await expect(inviting()).rejects.toMatchObject({ code: 'usage' });
      expect(await acceptInvitation(token, await bob())).toMatchObject({ role: 'owner' });
    });

    test('an organization has 20 open invitations at most, however many are asked for at once', async () => {
      const { organizationId, person } = await acme();
      const { people } = await subject.open({ limits: { invitations: 20, mailsPerOrigin: 1000 } });
      const inviting = (email: string) =>
        invite({ organizationId, email, role: 'member' }, subject.as({ person }, { people }), people);
      const all = Array.from({ length: 23 }, (_, index) => inviting(`p${index}@example.com`));
      const results = await Promise.allSettled(all);
      expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(20);
      subject.advance(DAY_MS);
      const message = expect.stringContaining('20 open invitations');
      await expect(inviting('one@example.com')).rejects.toMatchObject({ code: 'usage', message });
    });

    test('one organization sends 3 a day to one address, and takes nothing from links to sign in', async () => {
      const { inviting } = await acme();
      for (let count = 0; count < 3; count += 1) expect(await inviting()).toMatchObject({ isMailed: true });
      const message = expect.stringContaining('480 min');
      await expect(inviting()).rejects.toMatchObject({ code: 'usage', message });
      expect(await inviting('eve@example.com')).toMatchObject({ isMailed: true });
      expect(await subject.signIn('bob@example.com')).toHaveProperty('session');
    });

    test('an address gets 5 a day by mail, whoever invites it, and is still invited: it finds the others in the console', async () => {
      const operator = subject.operator();
      for (let count = 0; count < 10; count += 1) {
        const { id: organizationId } = await createOrganization({ name: `Win ${count}` }, operator);
        await invite({ organizationId, email: 'bob@example.com', role: 'member' }, operator, subject.people);
      }
      const { organizationId, inviting } = await acme();
      const invitation = await inviting();
      expect(invitation).toMatchObject({ isMailed: false });
      await sent();
      expect(subject.mails.filter(({ to }) => to === 'bob@example.com')).toHaveLength(5);
      const own = await listOwnInvitations(await bob());
      expect(own).toHaveLength(11);
      expect(own[0]).toMatchObject({ id: invitation.id, organizationName: 'Acme' });
      const eve = await subject.signInAs('eve@example.com');
      expect(await listOwnInvitations(eve)).toEqual([]);
      await expect(acceptInvitation(invitation.id, eve)).rejects.toMatchObject({ code: 'usage' });
      expect(await acceptInvitation(invitation.id, await bob())).toMatchObject({ organizationId });
      await expect(acceptInvitation(invitation.id, await bob())).rejects.toMatchObject({ code: 'not_found' });
    });

    test('each change of an invitation leaves its line', async () => {
      const { organizationId, ada, inviting } = await acme();
      const { id: invitationId } = await inviting();
      await revokeInvitation({ organizationId, invitationId }, ada);
      await invite({ organizationId, email: 'eve@example.com', role: 'owner' }, subject.operator(), subject.people);
      const rows = (await subject.audit()).slice(0, 3);
      expect(rows.map(({ actor, action, origin, details }) => [actor, action, origin, JSON.parse(details)])).toEqual([
        ['cli:ada', 'member.invite', null, { email: 'eve@example.com', role: 'owner' }],
        ['person:ada@example.com', 'invitation.revoke', ORIGIN.address, { email: 'bob@example.com', role: 'member' }],
        ['person:ada@example.com', 'member.invite', ORIGIN.address, { email: 'bob@example.com', role: 'member' }],
      ]);
    });
  });
}
