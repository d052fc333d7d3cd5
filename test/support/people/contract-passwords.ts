import { describe, expect, test } from 'vitest';
import type { NewSession } from '../../../accounts/people/people.ts';
import { cookieHeader, ORIGIN, PASSWORD, type PeopleSubject, sent } from './use-people.ts';

export function describePasswords(subject: PeopleSubject): void {
  const attempt = (password: string, { email = 'ada@example.com', address = ORIGIN.address } = {}) =>
    subject.people.signIn.signInWithPassword({ email, password }, { ...ORIGIN, address });
  const set = ({ session }: NewSession, password: string, current?: string) =>
    subject.people.signIn.setPassword(session, { password, current }, ORIGIN);
  const withPassword = async () => {
    const signedIn = await subject.signIn('ada@example.com');
    await set(signedIn, PASSWORD);
    return signedIn;
  };

  describe('passwords', () => {
    test('who has set one signs in with it', async () => {
      const { session } = await withPassword();
      expect(await subject.people.signIn.hasPassword(session.person.id)).toBe(true);
      const answer = await attempt(PASSWORD, { email: ' Ada@Example.com' });
      if (answer === undefined || 'tooMany' in answer) expect.fail('not signed in');
      expect(answer.session.person).toEqual(session.person);
      expect((await subject.people.signIn.findSession(cookieHeader(answer.cookies)))?.session).toEqual(answer.session);
    });

    test('a wrong one, one of nobody, one where none was set, and one of no address are refused alike', async () => {
      await withPassword();
      await subject.signIn('bob@example.com');
      expect(await attempt('wrong but long enough')).toBeUndefined();
      expect(await attempt(PASSWORD, { email: 'nobody@example.com' })).toBeUndefined();
      expect(await attempt(PASSWORD, { email: 'bob@example.com' })).toBeUndefined();
      expect(await attempt(PASSWORD, { email: 'no address' })).toBeUndefined();
      expect(await attempt('')).toBeUndefined();
      expect(await attempt('x'.repeat(1_000_000))).toBeUndefined();
    });

    test('it has 12 to 128 characters', async () => {
      const signedIn = await subject.signIn('ada@example.com');
      for (const password of ['', 'x'.repeat(11), 'x'.repeat(129)])
        await expect(set(signedIn, password)).rejects.toMatchObject({
          code: 'usage',
          message: expect.stringContaining('12 to 128'),
        });
      expect(await subject.people.signIn.hasPassword(signedIn.session.person.id)).toBe(false);
      await set(signedIn, 'x'.repeat(128));
      expect(await attempt('x'.repeat(128))).toHaveProperty('session');
    });

    test('it is kept as a salted hash', async () => {
      await withPassword();
      const rows = await subject.database.kysely.selectFrom('sign_in_accounts').selectAll().execute();
      expect(rows).toMatchObject([
        { id: expect.stringMatching(/^account_/), password: expect.stringMatching(/^[0-9a-f]{32}:/) },
      ]);
      expect(JSON.stringify(rows)).not.toContain(PASSWORD);
    });

    test('another is set by who knows the current one', async () => {
      const signedIn = await withPassword();
      const wrong = { code: 'usage', message: expect.stringContaining('current password') };
      await expect(set(signedIn, 'the one after that')).rejects.toMatchObject(wrong);
      await expect(set(signedIn, 'the one after that', 'not it at all')).rejects.toMatchObject(wrong);
      await set(signedIn, 'the one after that', PASSWORD);
      expect(await attempt(PASSWORD)).toBeUndefined();
      expect(await attempt('the one after that')).toHaveProperty('session');
    });

    test('setting one ends all other sessions of the person, and leaves a line', async () => {
      const elsewhere = await subject.signIn('ada@example.com');
      const here = await withPassword();
      expect(await subject.people.signIn.findSession(cookieHeader(elsewhere.cookies))).toBeUndefined();
      expect(await subject.people.signIn.findSession(cookieHeader(here.cookies))).toBeDefined();
      const [line] = await subject.database.kysely.selectFrom('audit_log').selectAll().orderBy('id', 'desc').execute();
      expect(line).toMatchObject({ action: 'person.set_password', actor: 'person:ada@example.com', details: '{}' });
    });

    test('of two that set the first one at once, one does, and it is that one’s', async () => {
      const signedIn = await subject.signIn('ada@example.com');
      const wanted = ['first of the two', 'second of the two'];
      const results = await Promise.allSettled(wanted.map((password) => set(signedIn, password)));
      const done = results.map(({ status }) => status === 'fulfilled');
      expect(done.toSorted()).toEqual([false, true]);
      for (const [index, password] of wanted.entries())
        expect((await attempt(password)) !== undefined).toBe(done[index]);
    });

    test('after 10 attempts at one person’s, from wherever and at once, the right one is not looked at for 15 minutes', async () => {
      await withPassword();
      const guesses = Array.from({ length: 14 }, (_, index) =>
        attempt(`guess number ${index}`, { address: `198.51.100.${index}` }),
      );
      const answers = await Promise.all(guesses);
      expect(answers.filter((answer) => answer === undefined)).toHaveLength(10);
      expect(await attempt(PASSWORD)).toEqual({ tooMany: true, retryAfterSeconds: 900 });
      expect(await attempt(PASSWORD, { email: 'bob@example.com' })).toBeUndefined();
      subject.advance(15 * 60_000);
      expect(await attempt(PASSWORD)).toHaveProperty('session');
    });

    test('the right one frees the person’s attempts', async () => {
      await withPassword();
      for (let index = 0; index < 9; index += 1)
        await attempt('wrong but long enough', { address: `198.51.100.${index}` });
      expect(await attempt(PASSWORD)).toHaveProperty('session');
      for (let index = 0; index < 9; index += 1)
        await attempt('wrong but long enough', { address: `198.51.101.${index}` });
      expect(await attempt(PASSWORD)).toHaveProperty('session');
    });

    test('one place has 30 attempts in 15 minutes, at whomever', async () => {
      await withPassword();
      const { people } = await subject.open({ limits: { passwordsPerOrigin: 3 } });
      for (let index = 0; index < 3; index += 1)
        await people.signIn.signInWithPassword({ email: `p${index}@example.com`, password: 'x' }, ORIGIN);
      const credentials = { email: 'ada@example.com', password: PASSWORD };
      expect(await people.signIn.signInWithPassword(credentials, ORIGIN)).toMatchObject({ tooMany: true });
      const elsewhere = { ...ORIGIN, address: '198.51.100.1' };
      expect(await people.signIn.signInWithPassword(credentials, elsewhere)).toHaveProperty('session');
    });

    test('a flood from everywhere at everybody takes no more than its part of the machine', async () => {
      const attempts = Array.from({ length: 40 }, (_, index) =>
        attempt('wrong but long enough', { email: `p${index}@example.com`, address: `198.51.100.${index}` }),
      );
      const results = await Promise.allSettled(attempts);
      const refused = results.filter((result) => result.status === 'rejected');
      expect(refused.length).toBeGreaterThan(0);
      for (const { reason } of refused)
        expect(reason).toMatchObject({ code: 'unavailable', message: expect.stringContaining('too many passwords') });
      expect(await attempt('wrong but long enough', { email: 'q@example.com' })).toBeUndefined();
    });

    test('guessing the current one is bounded as well', async () => {
      const signedIn = await withPassword();
      for (let index = 0; index < 10; index += 1)
        await set(signedIn, 'the one after that', 'not it at all').catch(() => {});
      expect(await set(signedIn, 'the one after that', PASSWORD)).toMatchObject({ tooMany: true });
    });
  });

  describe('where passwords are not offered', () => {
    test('nobody signs in with one or sets one', async () => {
      const signedIn = await withPassword();
      const { people } = await subject.open({ methods: ['link'] });
      const credentials = { email: 'ada@example.com', password: PASSWORD };
      expect(await people.signIn.signInWithPassword(credentials, ORIGIN)).toBeUndefined();
      const setting = people.signIn.setPassword(
        signedIn.session,
        { password: 'x'.repeat(12), current: PASSWORD },
        ORIGIN,
      );
      await expect(setting).rejects.toMatchObject({ code: 'usage' });
    });
  });

  describe('where links are not offered', () => {
    test('who has no password gets one to set it, and who has one gets none, with the same answer', async () => {
      await withPassword();
      await subject.signIn('bob@example.com');
      const { people, mails } = await subject.open({ methods: ['password'] });
      for (const email of ['ada@example.com', 'bob@example.com'])
        expect(await people.signIn.sendLink({ email }, ORIGIN)).toBeUndefined();
      await sent();
      expect(mails.map(({ to }) => to)).toEqual(['bob@example.com']);
    });
  });
}
