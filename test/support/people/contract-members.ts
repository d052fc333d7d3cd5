import { describe, expect, test } from 'vitest';
import { invite, listInvitations, revokeInvitation } from '../../../api/accounts/people/invitations.ts';
import {
  addMember,
  changeRole,
  createOwnOrganization,
  listMembers,
  listMemberships,
  removeMember,
} from '../../../api/accounts/people/memberships.ts';
import { ORIGIN, type PeopleSubject } from './use-people.ts';

export function describeMembers(subject: PeopleSubject): void {
  const { operator, signInAs } = subject;
  const rolesOf = async (organizationId: string) =>
    (await listMembers(organizationId, operator())).map(({ person, role }) => [person.email, role]);

  describe('members', () => {
    test('an operator makes somebody a member who never signed in, and who then signs in by link', async () => {
      const { id } = await subject.organization({});
      const member = await addMember({ organizationId: id, email: ' Bob@Example.com', role: 'owner' }, operator());
      expect(member.person).toMatchObject({ email: 'bob@example.com', id: expect.stringMatching(/^person_/) });
      const { session } = await subject.signIn('bob@example.com');
      expect(session).toMatchObject({ person: member.person, organizationId: id, role: 'owner' });
      expect(await listMembers(id, operator())).toEqual([member]);
      const membership = { organizationId: id, organizationName: 'Acme', role: 'owner', since: member.since };
      expect(await listMemberships(member.person.id, operator())).toEqual([membership]);
    });

    test('whoever is added again keeps everything but the role', async () => {
      const { id: organizationId } = await subject.organization({
        'ada@example.com': 'owner',
        'bob@example.com': 'member',
      });
      const bob = { organizationId, email: 'bob@example.com' };
      const same = await addMember({ ...bob, role: 'member' }, operator());
      expect(await addMember({ ...bob, role: 'owner' }, operator())).toEqual({ ...same, role: 'owner' });
      expect(await rolesOf(organizationId)).toEqual([
        ['ada@example.com', 'owner'],
        ['bob@example.com', 'owner'],
      ]);
    });

    test('owners change roles and remove members, each with a line that says who, whom and from where', async () => {
      const email = 'bob@example.com';
      const {
        id: organizationId,
        as,
        personOf,
      } = await subject.organization({ 'ada@example.com': 'owner', [email]: 'member' });
      const bob = { organizationId, personId: personOf(email).id };
      const ada = as('ada@example.com');
      await changeRole({ ...bob, role: 'owner' }, ada);
      await changeRole({ ...bob, role: 'owner' }, ada);
      await removeMember(bob, ada);
      expect(await rolesOf(organizationId)).toEqual([['ada@example.com', 'owner']]);
      const line = { organization_id: organizationId, actor: 'person:ada@example.com', subject_id: bob.personId };
      expect(
        (await subject.audit()).filter(({ actor, action }) => actor === line.actor && /^member/.test(action)),
      ).toMatchObject([
        { ...line, action: 'member.remove', origin: ORIGIN.address, details: JSON.stringify({ email, role: 'owner' }) },
        {
          ...line,
          action: 'member.change_role',
          origin: ORIGIN.address,
          details: JSON.stringify({ email, from: 'member', to: 'owner' }),
        },
      ]);
    });

    test('members see who belongs to it, leave, and change nothing else', async () => {
      const members = { 'ada@example.com': 'owner', 'bob@example.com': 'member' } as const;
      const { id: organizationId, as, personOf } = await subject.organization(members);
      const bob = as('bob@example.com');
      expect(await listMembers(organizationId, bob)).toHaveLength(2);
      const own = { organizationId, personId: personOf('bob@example.com').id };
      const refused = [
        changeRole({ ...own, role: 'owner' }, bob),
        removeMember({ organizationId, personId: personOf('ada@example.com').id }, bob),
        invite({ organizationId, email: 'eve@example.com', role: 'member' }, bob, subject.people),
        revokeInvitation({ organizationId, invitationId: 'invitation_1' }, bob),
        addMember({ organizationId, email: 'eve@example.com', role: 'owner' }, bob),
      ];
      for (const result of await Promise.allSettled(refused))
        expect(result).toMatchObject({ status: 'rejected', reason: { code: 'usage' } });
      await removeMember(own, bob);
      await expect(listMembers(organizationId, bob)).rejects.toMatchObject({ code: 'not_found' });
    });

    test('to strangers an organization is not there, whatever they ask', async () => {
      const { id: organizationId, personOf } = await subject.organization({ 'ada@example.com': 'owner' });
      const personId = personOf('ada@example.com').id;
      const eve = await signInAs('eve@example.com');
      const asked = (id: string) => [
        listMembers(id, eve),
        listInvitations(id, eve),
        changeRole({ organizationId: id, personId, role: 'member' }, eve),
        removeMember({ organizationId: id, personId }, eve),
        invite({ organizationId: id, email: 'eve@example.com', role: 'owner' }, eve, subject.people),
        revokeInvitation({ organizationId: id, invitationId: 'invitation_1' }, eve),
      ];
      const messages = async (id: string) => {
        const results = await Promise.allSettled(asked(id));
        return results.map((result) =>
          result.status === 'rejected' ? `${result.reason.code} ${result.reason.message}` : 'done',
        );
      };
      for (const id of [organizationId, 'org_none'])
        expect(new Set(await messages(id))).toEqual(new Set([`not_found there is no organization ${id}`]));
    });

    test('what is not there is told: an organization, a member', async () => {
      const { id } = await subject.organization({ 'ada@example.com': 'owner' });
      const attempts = [
        listMembers('org_none', operator()),
        addMember({ organizationId: 'org_none', email: 'bob@example.com', role: 'member' }, operator()),
        removeMember({ organizationId: id, personId: 'person_none' }, operator()),
      ];
      for (const result of await Promise.allSettled(attempts))
        expect(result).toMatchObject({ status: 'rejected', reason: { code: 'not_found' } });
      expect(await subject.rows('people')).toMatchObject([{ email: 'ada@example.com' }]);
    });

    test('the last owner stays: neither leaves, nor is removed or demoted, not even by an operator', async () => {
      const members = { 'ada@example.com': 'owner', 'bob@example.com': 'member' } as const;
      const { id: organizationId, as, personOf } = await subject.organization(members);
      const of = { organizationId, personId: personOf('ada@example.com').id };
      for (const acting of [as('ada@example.com'), operator()]) {
        await expect(removeMember(of, acting)).rejects.toMatchObject({ code: 'usage' });
        await expect(changeRole({ ...of, role: 'member' }, acting)).rejects.toMatchObject({ code: 'usage' });
      }
      const add = addMember({ organizationId, email: 'ada@example.com', role: 'member' }, operator());
      await expect(add).rejects.toMatchObject({ code: 'usage' });
    });

    test('of two owners who leave at once, or give it up, one stays', async () => {
      // On PostgreSQL through two processes; two on SQLite can't wait for each other within one.
      const isSqlite = subject.database.engine.kind === 'sqlite';
      const other = isSqlite ? subject : await subject.open();
      for (let round = 0; round < 5; round += 1) {
        const emails = [`a${round}@example.com`, `b${round}@example.com`] as const;
        const { id: organizationId, personOf } = await subject.organization({
          [emails[0]]: 'owner',
          [emails[1]]: 'owner',
        });
        const results = await Promise.allSettled(
          emails.map((email, index) => {
            const person = personOf(email);
            const of = { organizationId, personId: person.id };
            const acting = subject.as({ person }, index === 0 ? subject : other);
            return round % 2 === 0 ? removeMember(of, acting) : changeRole({ ...of, role: 'member' }, acting);
          }),
        );
        const refused = results.filter((result) => result.status === 'rejected');
        expect(refused).toMatchObject([{ reason: { code: 'usage' } }]);
        expect((await rolesOf(organizationId)).filter(([, role]) => role === 'owner')).toHaveLength(1);
      }
    });
  });

  describe('organizations of one’s own', () => {
    test('a person makes one on Community, owns it and is told what concerns it', async () => {
      const ada = await signInAs('ada@example.com');
      const made = await createOwnOrganization('  Ada & Co ', ada, subject.people);
      expect(made).toMatchObject({ name: 'Ada & Co', email: 'ada@example.com', terms: { plan: 'community' } });
      expect(await rolesOf(made.id)).toEqual([['ada@example.com', 'owner']]);
      const lines = (await subject.audit()).filter(({ organization_id }) => organization_id === made.id);
      expect(lines.map(({ actor, action }) => [actor, action])).toEqual([
        ['person:ada@example.com', 'member.add'],
        ['person:ada@example.com', 'organization.create'],
      ]);
    });

    test('a person makes three at most, also at once, and those that were handed on count', async () => {
      const { session } = await subject.signIn('ada@example.com');
      const ada = subject.as(session);
      const first = await createOwnOrganization('first', ada, subject.people);
      await addMember({ organizationId: first.id, email: 'bob@example.com', role: 'owner' }, operator());
      await removeMember({ organizationId: first.id, personId: session.person.id }, ada);
      const making = ['a', 'b', 'c', 'd'].map((name) => createOwnOrganization(name, ada, subject.people));
      const results = await Promise.allSettled(making);
      expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
      expect(results.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { code: 'usage' } });
    });

    test('a name is one line of 1 to 100 characters without an address', async () => {
      const ada = await signInAs('ada@example.com');
      for (const name of ['a\u2028b', 'a\u202eb', '', '   ', 'a\nb', 'x'.repeat(101), 'Win at https://evil.example'])
        await expect(createOwnOrganization(name, ada, subject.people)).rejects.toMatchObject({ code: 'usage' });
    });

    test('where sign-up is by invitation, operators make organizations', async () => {
      const { session } = await subject.signIn('ada@example.com');
      const { people } = await subject.open({ signUp: 'invited' });
      const making = createOwnOrganization('Ada & Co', subject.as(session, { people }), people);
      await expect(making).rejects.toMatchObject({ code: 'usage' });
    });
  });
}
