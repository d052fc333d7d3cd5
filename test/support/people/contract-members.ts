import { describe, expect, test } from 'vitest';
import type { Role } from '../../../api/accounts/people/people.ts';
import { getOf, ORIGIN, type PeopledOrganization, type PeopleSubject } from './use-people.ts';

export function describeMembers(subject: PeopleSubject): void {
  const personOf = ({ sessions }: PeopledOrganization, email: string) => getOf(sessions, email).person;
  const as = (organization: PeopledOrganization, email: string) =>
    subject.people.members.as({ person: personOf(organization, email) }, ORIGIN);
  const operator = () => subject.people.members.as({ operator: 'cli:ada' });
  const rolesOf = async (organizationId: string) =>
    (await operator().listMembers(organizationId)).map(({ person, role }) => [person.email, role]);
  const stranger = async () =>
    subject.people.members.as({ person: (await subject.signIn('eve@example.com')).session.person }, ORIGIN);

  describe('members', () => {
    test('an operator makes somebody a member who never signed in, and who then signs in by link', async () => {
      const { id } = await subject.organization({});
      const member = await operator().addMember({ organizationId: id, email: ' Bob@Example.com', role: 'owner' });
      expect(member.person).toMatchObject({ email: 'bob@example.com', id: expect.stringMatching(/^person_/) });
      const { session } = await subject.signIn('bob@example.com');
      expect(session).toMatchObject({ person: member.person, organizationId: id, role: 'owner' });
      expect(await operator().listMembers(id)).toEqual([member]);
      const membership = { organizationId: id, organizationName: 'Acme', role: 'owner', since: member.since };
      expect(await operator().listMemberships(member.person.id)).toEqual([membership]);
    });

    test('whoever is added again keeps everything but the role', async () => {
      const organization = await subject.organization({ 'ada@example.com': 'owner', 'bob@example.com': 'member' });
      const add = (role: Role) =>
        operator().addMember({ organizationId: organization.id, email: 'bob@example.com', role });
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
      await ada.changeRole({ organizationId, personId, role: 'owner' });
      await ada.changeRole({ organizationId, personId, role: 'owner' });
      await ada.removeMember({ organizationId, personId });
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
      expect(await bob.listMembers(organizationId)).toHaveLength(2);
      const own = personOf(organization, 'bob@example.com').id;
      const refused = [
        bob.changeRole({ organizationId, personId: own, role: 'owner' }),
        bob.removeMember({ organizationId, personId: ada.id }),
        bob.invite({ organizationId, email: 'eve@example.com', role: 'member' }),
        bob.revokeInvitation({ organizationId, invitationId: 'invitation_1' }),
        bob.addMember({ organizationId, email: 'eve@example.com', role: 'owner' }),
      ];
      for (const result of await Promise.allSettled(refused))
        expect(result).toMatchObject({ status: 'rejected', reason: { code: 'usage' } });
      await bob.removeMember({ organizationId, personId: own });
      await expect(bob.listMembers(organizationId)).rejects.toMatchObject({ code: 'not_found' });
    });

    test('to strangers an organization is not there, whatever they ask', async () => {
      const organization = await subject.organization({ 'ada@example.com': 'owner' });
      const [organizationId, personId] = [organization.id, personOf(organization, 'ada@example.com').id];
      const eve = await stranger();
      const asked = (id: string) => [
        eve.listMembers(id),
        eve.listInvitations(id),
        eve.changeRole({ organizationId: id, personId, role: 'member' }),
        eve.removeMember({ organizationId: id, personId }),
        eve.invite({ organizationId: id, email: 'eve@example.com', role: 'owner' }),
        eve.revokeInvitation({ organizationId: id, invitationId: 'invitation_1' }),
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
      await expect(operator().listMembers('org_none')).rejects.toMatchObject(missing);
      const add = operator().addMember({ organizationId: 'org_none', email: 'bob@example.com', role: 'member' });
      await expect(add).rejects.toMatchObject(missing);
      const remove = operator().removeMember({ organizationId: id, personId: 'person_none' });
      await expect(remove).rejects.toMatchObject(missing);
      const known = await subject.database.kysely.selectFrom('people').select('email').execute();
      expect(known).toEqual([{ email: 'ada@example.com' }]);
    });

    test('the last owner stays: neither leaves, nor is removed or demoted, not even by an operator', async () => {
      const organization = await subject.organization({ 'ada@example.com': 'owner', 'bob@example.com': 'member' });
      const of = { organizationId: organization.id, personId: personOf(organization, 'ada@example.com').id };
      for (const members of [as(organization, 'ada@example.com'), operator()]) {
        await expect(members.removeMember(of)).rejects.toMatchObject({ code: 'usage' });
        await expect(members.changeRole({ ...of, role: 'member' })).rejects.toMatchObject({ code: 'usage' });
      }
      const { id: organizationId } = organization;
      const add = operator().addMember({ organizationId, email: 'ada@example.com', role: 'member' });
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
            const { members } = index === 0 ? subject.people : other.people;
            const of = { organizationId: organization.id, personId: person.id };
            const acting = members.as({ person }, ORIGIN);
            return round % 2 === 0 ? acting.removeMember(of) : acting.changeRole({ ...of, role: 'member' });
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
      const ada = subject.people.members.as({ person: session.person }, ORIGIN);
      const made = await ada.createOwnOrganization('  Ada & Co ');
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
      const ada = subject.people.members.as({ person: session.person }, ORIGIN);
      const first = await ada.createOwnOrganization('first');
      await operator().addMember({ organizationId: first.id, email: 'bob@example.com', role: 'owner' });
      await ada.removeMember({ organizationId: first.id, personId: session.person.id });
      const results = await Promise.allSettled(['a', 'b', 'c', 'd'].map((name) => ada.createOwnOrganization(name)));
      expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
      expect(results.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { code: 'usage' } });
    });

    test('a name is one line of 1 to 100 characters without an address', async () => {
      const { session } = await subject.signIn('ada@example.com');
      const ada = subject.people.members.as({ person: session.person }, ORIGIN);
      for (const name of ['a\u2028b', 'a\u202eb', '', '   ', 'a\nb', 'x'.repeat(101), 'Win at https://evil.example'])
        await expect(ada.createOwnOrganization(name)).rejects.toMatchObject({ code: 'usage' });
    });

    test('where sign-up is by invitation, operators make organizations', async () => {
      const { session } = await subject.signIn('ada@example.com');
      const { people } = await subject.open({ signUp: 'invited' });
      const making = people.members.as({ person: session.person }, ORIGIN).createOwnOrganization('Ada & Co');
      await expect(making).rejects.toMatchObject({ code: 'usage' });
    });
  });
}
