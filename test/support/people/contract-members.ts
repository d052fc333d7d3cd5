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
import type { Role } from '../../../api/accounts/people/people.ts';
import { getOf, ORIGIN, type PeopledOrganization, type PeopleSubject } from './use-people.ts';

export function describeMembers(subject: PeopleSubject): void {
  const personOf = ({ sessions }: PeopledOrganization, email: string) => getOf(sessions, email).person;
  const as = (organization: PeopledOrganization, email: string) =>
    subject.people.as({ person: personOf(organization, email), origin: ORIGIN });
  const operator = () => subject.people.as({ operator: 'cli:ada' });
  const rolesOf = async (organizationId: string) =>
    (await listMembers(organizationId, operator())).map(({ person, role }) => [person.email, role]);
  const stranger = async () =>
    subject.people.as({ person: (await subject.signIn('eve@example.com')).session.person, origin: ORIGIN });

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
      const organization = await subject.organization({ 'ada@example.com': 'owner', 'bob@example.com': 'member' });
      const add = (role: Role) =>
        addMember({ organizationId: organization.id, email: 'bob@example.com', role }, operator());
      const [same, changed] = [await add('member'), await add('owner')];
      expect(changed).toEqual({ ...same, role: 'owner' });
      expect(await rolesOf(organization.id)).toEqual([
        ['ada@example.com', 'owner'],
        ['bob@example.com', 'owner'],
      ]);
    });

    test('owners change roles and remove members, each with a line that says who, whom and from where', async () => {
      const organization = await subject.organization({ 'ada@example.com': 'owner', 'bob@example.com': 'member' });
      const [organizationId, personId] = [organization.id, personOf(organization, 'bob@example.com').id];
      const ada = as(organization, 'ada@example.com');
      await changeRole({ organizationId, personId, role: 'owner' }, ada);
      await changeRole({ organizationId, personId, role: 'owner' }, ada);
      await removeMember({ organizationId, personId }, ada);
      expect(await rolesOf(organizationId)).toEqual([['ada@example.com', 'owner']]);
      const rows = await subject.database.kysely
        .selectFrom('audit_log')
        .select(['actor', 'action', 'subject_id', 'details', 'origin'])
        .where('organization_id', '=', organizationId)
        .where('actor', 'like', 'person:%')
        .orderBy('id')
        .execute();
      const line = { actor: 'person:ada@example.com', subject_id: personId, origin: ORIGIN.address };
      const email = 'bob@example.com';
      expect(rows).toEqual([
        { ...line, action: 'member.change_role', details: JSON.stringify({ email, from: 'member', to: 'owner' }) },
        { ...line, action: 'member.remove', details: JSON.stringify({ email, role: 'owner' }) },
      ]);
    });

    test('members see who belongs to it, leave, and change nothing else', async () => {
      const organization = await subject.organization({ 'ada@example.com': 'owner', 'bob@example.com': 'member' });
      const [organizationId, ada] = [organization.id, personOf(organization, 'ada@example.com')];
      const bob = as(organization, 'bob@example.com');
      expect(await listMembers(organizationId, bob)).toHaveLength(2);
      const own = personOf(organization, 'bob@example.com').id;
      const refused = [
        changeRole({ organizationId, personId: own, role: 'owner' }, bob),
        removeMember({ organizationId, personId: ada.id }, bob),
        invite({ organizationId, email: 'eve@example.com', role: 'member' }, bob, subject.people),
        revokeInvitation({ organizationId, invitationId: 'invitation_1' }, bob),
        addMember({ organizationId, email: 'eve@example.com', role: 'owner' }, bob),
      ];
      for (const result of await Promise.allSettled(refused))
        expect(result).toMatchObject({ status: 'rejected', reason: { code: 'usage' } });
      await removeMember({ organizationId, personId: own }, bob);
      await expect(listMembers(organizationId, bob)).rejects.toMatchObject({ code: 'not_found' });
    });

    test('to strangers an organization is not there, whatever they ask', async () => {
      const organization = await subject.organization({ 'ada@example.com': 'owner' });
      const [organizationId, personId] = [organization.id, personOf(organization, 'ada@example.com').id];
      const eve = await stranger();
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
      const there = await messages(organizationId);
      const notThere = await messages('org_none');
      expect(new Set(there)).toEqual(new Set([`not_found there is no organization ${organizationId}`]));
      expect(new Set(notThere)).toEqual(new Set(['not_found there is no organization org_none']));
    });

    test('what is not there is told: an organization, a member', async () => {
      const { id } = await subject.organization({ 'ada@example.com': 'owner' });
      const missing = { code: 'not_found' };
      await expect(listMembers('org_none', operator())).rejects.toMatchObject(missing);
      const add = addMember({ organizationId: 'org_none', email: 'bob@example.com', role: 'member' }, operator());
      await expect(add).rejects.toMatchObject(missing);
      const remove = removeMember({ organizationId: id, personId: 'person_none' }, operator());
      await expect(remove).rejects.toMatchObject(missing);
      const known = await subject.database.kysely.selectFrom('people').select('email').execute();
      expect(known).toEqual([{ email: 'ada@example.com' }]);
    });

    test('the last owner stays: neither leaves, nor is removed or demoted, not even by an operator', async () => {
      const organization = await subject.organization({ 'ada@example.com': 'owner', 'bob@example.com': 'member' });
      const of = { organizationId: organization.id, personId: personOf(organization, 'ada@example.com').id };
      for (const members of [as(organization, 'ada@example.com'), operator()]) {
        await expect(removeMember(of, members)).rejects.toMatchObject({ code: 'usage' });
        await expect(changeRole({ ...of, role: 'member' }, members)).rejects.toMatchObject({ code: 'usage' });
      }
      const { id: organizationId } = organization;
      const add = addMember({ organizationId, email: 'ada@example.com', role: 'member' }, operator());
      await expect(add).rejects.toMatchObject({ code: 'usage' });
    });

    test('of two owners who leave at once, or give it up, one stays', async () => {
      // On PostgreSQL through two processes; two on SQLite can't wait for each other within one.
      const isSqlite = subject.database.engine.kind === 'sqlite';
      const other = isSqlite ? subject : await subject.open();
      for (let round = 0; round < 5; round += 1) {
        const emails = [`a${round}@example.com`, `b${round}@example.com`] as const;
        const organization = await subject.organization({ [emails[0]]: 'owner', [emails[1]]: 'owner' });
        const results = await Promise.allSettled(
          emails.map((email, index) => {
            const person = personOf(organization, email);
            const people = index === 0 ? subject.people : other.people;
            const of = { organizationId: organization.id, personId: person.id };
            const acting = people.as({ person, origin: ORIGIN });
            return round % 2 === 0 ? removeMember(of, acting) : changeRole({ ...of, role: 'member' }, acting);
          }),
        );
        const refused = results.filter((result) => result.status === 'rejected');
        expect(refused).toMatchObject([{ reason: { code: 'usage' } }]);
        const owners = (await rolesOf(organization.id)).filter(([, role]) => role === 'owner');
        expect(owners).toHaveLength(1);
      }
    });
  });

  describe('organizations of one’s own', () => {
    test('a person makes one on Community, owns it and is told what concerns it', async () => {
      const { session } = await subject.signIn('ada@example.com');
      const ada = subject.people.as({ person: session.person, origin: ORIGIN });
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
      const ada = subject.people.as({ person: session.person, origin: ORIGIN });
      const first = await createOwnOrganization('first', ada, subject.people);
      await addMember({ organizationId: first.id, email: 'bob@example.com', role: 'owner' }, operator());
      await removeMember({ organizationId: first.id, personId: session.person.id }, ada);
      const results = await Promise.allSettled(
        ['a', 'b', 'c', 'd'].map((name) => createOwnOrganization(name, ada, subject.people)),
      );
      expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
      expect(results.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { code: 'usage' } });
    });

    test('a name is one line of 1 to 100 characters without an address', async () => {
      const { session } = await subject.signIn('ada@example.com');
      const ada = subject.people.as({ person: session.person, origin: ORIGIN });
      for (const name of ['a\u2028b', 'a\u202eb', '', '   ', 'a\nb', 'x'.repeat(101), 'Win at https://evil.example'])
        await expect(createOwnOrganization(name, ada, subject.people)).rejects.toMatchObject({ code: 'usage' });
    });

    test('where sign-up is by invitation, operators make organizations', async () => {
      const { session } = await subject.signIn('ada@example.com');
      const { people } = await subject.open({ signUp: 'invited' });
      const making = createOwnOrganization('Ada & Co', people.as({ person: session.person, origin: ORIGIN }), people);
      await expect(making).rejects.toMatchObject({ code: 'usage' });
    });
  });
}
