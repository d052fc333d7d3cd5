import { getMigrations } from 'better-auth/db/migration';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { changeRole, createOwnOrganization, removeMember } from '../../../api/accounts/people/memberships.ts';
import { createAuth } from '../../../api/accounts/people/sign-in/auth.ts';
import { cookieHeader, ORIGIN, type PeopleSubject, SETTINGS } from './use-people.ts';

const DAY_MS = 86_400_000;

export function describeSessions(subject: PeopleSubject): void {
  const find = async (cookies: readonly string[]) => subject.people.sessions.find(cookieHeader(cookies));

  describe('sessions', () => {
    test('the cookie is out of reach of scripts, other sites and plain http', async () => {
      const { cookies } = await subject.signIn('ada@example.com');
      expect(cookies).toHaveLength(1);
      const [pair = '', ...attributes] = (cookies[0] ?? '').split('; ');
      expect(pair).toMatch(/^__Host-modelstats_session=[^;]+$/);
      expect(attributes.toSorted()).toEqual(['HttpOnly', 'Max-Age=2592000', 'Path=/', 'SameSite=Lax', 'Secure']);
    });

    test('where the service is reached by http, the cookie has no prefix and is sent by http', async () => {
      const { people } = await subject.open({ publicUrl: 'http://localhost:8080' });
      const cookies = await people.sessions.signOut(undefined);
      expect(cookies).toEqual(['modelstats_session=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax']);
    });

    test('a session is made anew with each sign-in, never taken from the browser', async () => {
      const [first, second] = [await subject.signIn('ada@example.com'), await subject.signIn('ada@example.com')];
      expect(second.session.id).not.toBe(first.session.id);
      expect(cookieHeader(second.cookies)).not.toBe(cookieHeader(first.cookies));
      expect((await find(first.cookies))?.session).toEqual(first.session);
    });

    test('a cookie that was made up, changed or signed with another secret is none', async () => {
      const { cookies } = await subject.signIn('ada@example.com');
      const good = cookieHeader(cookies);
      const { token } = await subject.database.kysely.selectFrom('sessions').select('token').executeTakeFirstOrThrow();
      const name = '__Host-modelstats_session';
      for (const bad of [`${name}=${token}`, `${name}=${token}.x`, `${good.slice(0, -6)}abc%3D`, 'x', '', `${name}=`])
        expect(await subject.people.sessions.find(bad)).toBeUndefined();
      const { people } = await subject.open({ secret: 'QW5vdGhlciBzZWNyZXQsIG5vdCB0aGUgZmlyc3Qgb25l' });
      expect(await people.sessions.find(good)).toBeUndefined();
      expect(await subject.people.sessions.find(undefined)).toBeUndefined();
      expect(await subject.people.sessions.find(`other=1; ${good}`)).toBeDefined();
    });

    test('who signs out is out at once, wherever the cookie went', async () => {
      const other = await subject.open();
      const { cookies } = await subject.signIn('ada@example.com');
      expect(await other.people.sessions.find(cookieHeader(cookies))).toBeDefined();
      const cleared = await subject.people.sessions.signOut(cookieHeader(cookies));
      expect(cleared).toEqual([expect.stringMatching(/^__Host-modelstats_session=; Max-Age=0; Path=\/; .*Secure/)]);
      expect(await other.people.sessions.find(cookieHeader(cookies))).toBeUndefined();
      expect(await find(cookies)).toBeUndefined();
      expect(await subject.people.sessions.signOut(cookieHeader(cookies))).toEqual(cleared);
    });

    test('nobody is told to be signed out while the database does not answer', async () => {
      const { cookies } = await subject.signIn('ada@example.com');
      await sql`alter table sessions rename to sessions_away`.execute(subject.database.kysely);
      const signOut = subject.people.sessions.signOut(cookieHeader(cookies));
      await expect(signOut).rejects.toMatchObject({ code: 'unavailable' });
      await expect(find(cookies)).rejects.toMatchObject({ code: 'unavailable' });
      await sql`alter table sessions_away rename to sessions`.execute(subject.database.kysely);
      expect(await find(cookies)).toBeDefined();
    });

    test('signing out everywhere ends all sessions of the person at once, and of nobody else', async () => {
      const other = await subject.open();
      const [here, there] = [await subject.signIn('ada@example.com'), await subject.signIn('ada@example.com')];
      const bob = await subject.signIn('bob@example.com');
      await subject.people.sessions.signOutEverywhere(here.session, ORIGIN);
      expect(await other.people.sessions.find(cookieHeader(there.cookies))).toBeUndefined();
      expect(await find(here.cookies)).toBeUndefined();
      expect((await find(bob.cookies))?.session.id).toBe(bob.session.id);
      expect(await subject.people.sessions.list(here.session.person.id)).toEqual([]);
    });

    test('a session ends when it was not used for its time, and lives on while it is', async () => {
      const idle = await subject.signIn('idle@example.com');
      const used = await subject.signIn('used@example.com');
      subject.advance(20 * DAY_MS);
      const prolonged = await find(used.cookies);
      expect(prolonged?.cookies).toEqual([expect.stringContaining('Max-Age=2592000')]);
      expect(prolonged?.session.expiresAt).toEqual(new Date(Date.now() + 30 * DAY_MS));
      expect((await find(used.cookies))?.cookies).toEqual([]);
      subject.advance(10 * DAY_MS + 1000);
      expect(await find(idle.cookies)).toBeUndefined();
      expect(await find(used.cookies)).toBeDefined();
    });

    test('the list of sessions has where and when each began, the newest first, without what opens them', async () => {
      const first = await subject.signIn('ada@example.com');
      subject.advance(1000);
      const second = await subject.signIn('ada@example.com');
      const listed = await subject.people.sessions.list(first.session.person.id);
      const { id, createdAt, expiresAt } = first.session;
      expect(listed).toMatchObject([{ id: second.session.id }, { id }]);
      expect(listed[1]).toEqual({ id, createdAt, expiresAt, ...ORIGIN });
      subject.advance(30 * DAY_MS);
      expect(await subject.people.sessions.list(first.session.person.id)).toEqual([]);
    });

    test('a browser that names itself strangely signs in all the same', async () => {
      await subject.people.links.send({ email: 'ada@example.com' }, ORIGIN);
      const odd = { address: '::1', userAgent: `Ünïcode\r\nX: 1 ${'x'.repeat(5000)}` };
      const session = await subject.people.links.redeem(await subject.tokenFor('ada@example.com'), odd);
      const [listed] = await subject.people.sessions.list(session?.session.person.id ?? '');
      expect(listed?.userAgent).toHaveLength(300);
    });

    test('what is over is removed within the hour', async () => {
      await subject.signIn('ada@example.com');
      await subject.people.links.send({ email: 'bob@example.com' }, ORIGIN);
      subject.advance(31 * DAY_MS);
      await subject.people.sessions.find('x=1');
      for (const table of ['sessions', 'verifications', 'sign_in_limits'] as const)
        await expect.poll(() => subject.rows(table), { message: table }).toEqual([]);
    });
  });

  describe('the organization of a session', () => {
    test('is at first the one that the person has belonged to for longest', async () => {
      const { id } = await subject.organization({ 'ada@example.com': 'member' });
      const { session } = await subject.signIn('ada@example.com');
      expect(session).toMatchObject({ organizationId: id, role: 'member' });
    });

    test('can be changed to another of the person’s own, and to none besides', async () => {
      const theirs = await subject.organization({ 'bob@example.com': 'owner' });
      const { session, cookies } = await subject.signIn('ada@example.com');
      const own = await createOwnOrganization('Ada & Co', subject.as(session), subject.people);
      const selected = await subject.people.sessions.selectOrganization(session, own.id);
      expect(selected).toMatchObject({ organizationId: own.id, role: 'owner' });
      expect((await find(cookies))?.session).toEqual(selected);
      const select = (id: string) => subject.people.sessions.selectOrganization(session, id);
      await expect(select(theirs.id)).rejects.toMatchObject({ code: 'not_found' });
      await expect(select('org_none')).rejects.toMatchObject({ code: 'not_found' });
      expect((await find(cookies))?.session.organizationId).toBe(own.id);
    });

    test('is gone at once for who was removed, and a role holds as it is now', async () => {
      const { id, as } = await subject.organization({ 'ada@example.com': 'owner', 'bob@example.com': 'member' });
      const bob = await subject.signIn('bob@example.com');
      const membership = { organizationId: id, personId: bob.session.person.id };
      await changeRole({ ...membership, role: 'owner' }, as('ada@example.com'));
      expect((await find(bob.cookies))?.session).toMatchObject({ organizationId: id, role: 'owner' });
      await removeMember(membership, as('ada@example.com'));
      expect((await find(bob.cookies))?.session).toMatchObject({ organizationId: null, role: null });
    });
  });

  describe('the audit log of people', () => {
    test('tells of signing in and out everywhere: who, from where, and of no organization', async () => {
      await subject.organization({ 'ada@example.com': 'owner' });
      const { session } = await subject.signIn('ada@example.com');
      await subject.people.sessions.signOutEverywhere(session, { ...ORIGIN, address: '198.51.100.9' });
      const rows = await subject.audit();
      const lines = rows.map(({ actor, action, origin, organization_id }) => [actor, action, origin, organization_id]);
      expect(lines.slice(0, 2)).toEqual([
        ['person:ada@example.com', 'person.sign_out_everywhere', '198.51.100.9', null],
        ['person:ada@example.com', 'person.sign_in', ORIGIN.address, null],
      ]);
      expect(JSON.parse(rows[1]?.details ?? '')).toEqual({ method: 'link', session_id: session.id });
    });

    test('nobody is signed in of whom it can not tell', async () => {
      await subject.people.links.send({ email: 'ada@example.com' }, ORIGIN);
      const token = await subject.tokenFor('ada@example.com');
      await sql`alter table audit_log rename to audit_log_away`.execute(subject.database.kysely);
      await expect(subject.people.links.redeem(token, ORIGIN)).rejects.toMatchObject({ code: 'unavailable' });
      await sql`alter table audit_log_away rename to audit_log`.execute(subject.database.kysely);
      expect(await subject.rows('sessions')).toEqual([]);
    });
  });

  test('the tables of better-auth are as it needs them: it would make, add and change nothing', async () => {
    const hooks = { onLink: () => {}, maySignUp: async () => true, firstOrganization: async () => null };
    const { options } = createAuth(SETTINGS, { database: subject.database, log: { warn: () => {} }, hooks });
    const doubts: string[] = [];
    const logger = { level: 'warn', log: (_: unknown, message: string) => void doubts.push(message) } as const;
    const { toBeCreated, toBeAdded, unsafeChanges } = await getMigrations({ ...options, logger });
    expect([...toBeCreated, ...toBeAdded, ...unsafeChanges]).toEqual([]);
    // Its own migration makes text of lists on SQLite, and doubts it afterwards.
    expect(doubts.filter((doubt) => !doubt.endsWith('Expected string[] but got TEXT.'))).toEqual([]);
  });
}
