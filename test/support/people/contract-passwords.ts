import { describe, expect, test } from 'vitest';
import type { FoundSession } from '../../../api/accounts/people/people.ts';
import { removePassword } from '../../../api/accounts/people/sign-in/stored-password.ts';
import {
  cookieHeader,
  hashTogether,
  newestMail,
  ORIGIN,
  PASSWORD,
  type PeopleSubject,
  sent,
  tokenOf,
  whileHashing,
} from './use-people.ts';

export function describePasswords(subject: PeopleSubject): void {
  const attempt = (password: string, { email = 'ada@example.com', address = ORIGIN.address } = {}) =>
    subject.people.passwords.signIn({ email, password }, { ...ORIGIN, address });
  const set = ({ session }: FoundSession, password: string, current?: string) =>
    subject.people.passwords.set(session, { password, current }, ORIGIN);
  const withPassword = async () => {
    const signedIn = await subject.signIn('ada@example.com');
    await set(signedIn, PASSWORD);
    return signedIn;
  };
  const mailed = () => newestMail(subject, 'ada@example.com');

  describe('passwords', () => {
    test('a wrong one, one of nobody, one where none was set, and one of no address are refused alike', async () => {
      await withPassword();
      await subject.signIn('bob@example.com');
      for (const email of ['nobody@example.com', 'bob@example.com', 'no address'])
        expect(await attempt(PASSWORD, { email })).toBeUndefined();
      for (const password of ['wrong but long enough', '', 'x'.repeat(1_000_000)])
        expect(await attempt(password)).toBeUndefined();
    });

    test('it has 12 to 128 characters', async () => {
      const signedIn = await subject.signIn('ada@example.com');
      const refusal = { code: 'usage', message: expect.stringContaining('12 to 128') };
      for (const password of ['', 'x'.repeat(11), 'x'.repeat(129)])
        await expect(set(signedIn, password)).rejects.toMatchObject(refusal);
      expect(await subject.people.passwords.state(signedIn.session)).toMatchObject({ hasPassword: false });
      await set(signedIn, 'x'.repeat(128));
      expect(await attempt('x'.repeat(128))).toHaveProperty('session');
    });

    test('it is kept as a salted hash', async () => {
      await withPassword();
      const rows = await subject.rows('sign_in_accounts');
      expect(rows).toMatchObject([
        { id: expect.stringMatching(/^account_/), password: expect.stringMatching(/^[0-9a-f]{32}:/) },
      ]);
      expect(JSON.stringify(rows)).not.toContain(PASSWORD);
    });

    test('another is set by who knows the current one, or has just signed in', async () => {
      const signedIn = await withPassword();
      await set(signedIn, 'the one after that');
      subject.advance(15 * 60_000);
      const wrong = { code: 'usage', message: expect.stringContaining('current password') };
      await expect(set(signedIn, 'a third one of mine')).rejects.toMatchObject(wrong);
      await expect(set(signedIn, 'a third one of mine', 'not it at all')).rejects.toMatchObject(wrong);
      await set(signedIn, 'a third one of mine', 'the one after that');
      expect(await attempt('the one after that')).toBeUndefined();
      expect(await attempt('a third one of mine')).toHaveProperty('session');
    });

    test('a session that began 15 minutes ago sets no first one: whoever has its cookie alone signs in with nothing', async () => {
      const old = await subject.signIn('ada@example.com');
      expect(await subject.people.passwords.state(old.session)).toEqual({ hasPassword: false, isFresh: true });
      subject.advance(15 * 60_000);
      expect(await subject.people.passwords.state(old.session)).toEqual({ hasPassword: false, isFresh: false });
      const refusal = { code: 'usage', message: expect.stringContaining('sign in with a new link first') };
      for (const current of [undefined, '', 'guessed'])
        await expect(set(old, PASSWORD, current)).rejects.toMatchObject(refusal);
      await set(await subject.signIn('ada@example.com'), PASSWORD);
      expect(await attempt(PASSWORD)).toHaveProperty('session');
    });

    test('each change is told by mail, whose link takes the password away and ends all sessions, once', async () => {
      const thief = await withPassword();
      expect((await mailed()).subject).toBe('Password set at stats.example.com');
      await set(thief, 'the one after that', PASSWORD);
      const mail = await mailed();
      expect(mail.subject).toBe('Password changed at stats.example.com');
      expect(mail.text).toContain(ORIGIN.address);
      expect(mail.text.split('\n')).toContain(mail.link);
      const token = tokenOf(mail);
      const { passwords, sessions } = subject.people;
      expect(JSON.stringify(await subject.rows('verifications'))).not.toContain(token);
      subject.advance(6 * 86_400_000);
      expect(await passwords.describeUndo(token)).toMatchObject({ email: 'ada@example.com' });
      expect(await passwords.undo(token, ORIGIN)).toMatchObject({ email: 'ada@example.com' });
      for (const password of ['the one after that', PASSWORD]) expect(await attempt(password)).toBeUndefined();
      expect(await sessions.find(cookieHeader(thief.cookies))).toBeUndefined();
      expect(await passwords.describeUndo(token)).toBeUndefined();
      expect(await passwords.undo(token, ORIGIN)).toBeUndefined();
      const [line] = await subject.audit();
      expect(line).toMatchObject({ action: 'person.remove_password', actor: 'person:ada@example.com' });
      expect(await subject.signIn('ada@example.com')).toHaveProperty('session');
    });

    test('the link that undoes it is good for 7 days, and for nothing else', async () => {
      await withPassword();
      const token = tokenOf(await mailed());
      const { links, passwords } = subject.people;
      for (const other of ['', 'x', `${token}x`]) expect(await passwords.undo(other, ORIGIN)).toBeUndefined();
      expect(await links.redeem(token, ORIGIN)).toBeUndefined();
      subject.advance(7 * 86_400_000);
      expect(await passwords.describeUndo(token)).toBeUndefined();
      expect(await passwords.undo(token, ORIGIN)).toBeUndefined();
      expect(await attempt(PASSWORD)).toHaveProperty('session');
    });

    test('whose password an operator takes away is told by mail', async () => {
      await withPassword();
      await removePassword('ada@example.com', subject.operator(), subject.people);
      expect(await mailed()).toMatchObject({
        subject: 'Password removed at stats.example.com',
        link: 'https://stats.example.com/console/sign-in',
      });
    });

    test('setting one ends all other sessions of the person, and leaves a line', async () => {
      const elsewhere = await subject.signIn('ada@example.com');
      const here = await withPassword();
      expect(await subject.people.sessions.find(cookieHeader(elsewhere.cookies))).toBeUndefined();
      expect(await subject.people.sessions.find(cookieHeader(here.cookies))).toBeDefined();
      const [line] = await subject.audit();
      expect(line).toMatchObject({ action: 'person.set_password', actor: 'person:ada@example.com', details: '{}' });
    });

    test('of two that set the first one at once, one does, and it is that one’s', async () => {
      const signedIn = await subject.signIn('ada@example.com');
      const wanted = ['first of the two', 'second of the two'];
      hashTogether(wanted.length);
      const results = await Promise.allSettled(wanted.map((password) => set(signedIn, password)));
      const done = results.map(({ status }) => status === 'fulfilled');
      expect(done.toSorted()).toEqual([false, true]);
      for (const [index, password] of wanted.entries())
        expect((await attempt(password)) !== undefined).toBe(done[index]);
    });

    test('one that was right when it was checked signs nobody in once another is set', async () => {
      await withPassword();
      const before = await subject.rows('sessions');
      const stored = subject.database.kysely.updateTable('sign_in_accounts');
      whileHashing(() => stored.set({ password: 'other' }).execute());
      expect(await attempt(PASSWORD)).toBeUndefined();
      expect(await subject.rows('sessions')).toEqual(before);
    });

    test('after 10 attempts at one person’s from one place, also at once, it is slowed down there, and nowhere else', async () => {
      await withPassword();
      const answers = await Promise.all(Array.from({ length: 14 }, (_, index) => attempt(`guess number ${index}`)));
      expect(answers.filter((response) => response === undefined)).toHaveLength(10);
      expect(await attempt(PASSWORD)).toEqual({ tooMany: true, retryAfterSeconds: 90 });
      expect(await attempt(PASSWORD, { email: 'bob@example.com' })).toBeUndefined();
      expect(await attempt(PASSWORD, { address: '198.51.100.1' })).toHaveProperty('session');
      subject.advance(90_000);
      expect(await attempt(PASSWORD)).toHaveProperty('session');
    });

    test('the right one frees the person’s attempts', async () => {
      await withPassword();
      for (let round = 0; round < 2; round += 1) {
        for (let index = 0; index < 9; index += 1) await attempt('wrong but long enough');
        expect(await attempt(PASSWORD)).toHaveProperty('session');
      }
    });

    test('one place has 30 attempts in 15 minutes, at whomever', async () => {
      await withPassword();
      const { people } = await subject.open({ limits: { passwordsPerOrigin: 3 } });
      for (let index = 0; index < 3; index += 1)
        await people.passwords.signIn({ email: `p${index}@example.com`, password: 'x' }, ORIGIN);
      const credentials = { email: 'ada@example.com', password: PASSWORD };
      expect(await people.passwords.signIn(credentials, ORIGIN)).toMatchObject({ tooMany: true });
      const elsewhere = { ...ORIGIN, address: '198.51.100.1' };
      expect(await people.passwords.signIn(credentials, elsewhere)).toHaveProperty('session');
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
      for (let index = 0; index < 9; index += 1)
        await set(signedIn, 'the one after that', 'not it at all').catch(() => {});
      expect(await set(signedIn, 'the one after that', PASSWORD)).toMatchObject({ tooMany: true });
    });
  });

  describe('where passwords are not offered', () => {
    test('nobody signs in with one or sets one', async () => {
      const signedIn = await withPassword();
      const { people } = await subject.open({ methods: ['link'] });
      const credentials = { email: 'ada@example.com', password: PASSWORD };
      expect(await people.passwords.signIn(credentials, ORIGIN)).toBeUndefined();
      const setting = people.passwords.set(signedIn.session, { password: 'x'.repeat(12), current: PASSWORD }, ORIGIN);
      await expect(setting).rejects.toMatchObject({ code: 'usage' });
    });
  });

  describe('where links are not offered', () => {
    test('who has no password gets one to set it, and who has one gets none, with the same answer', async () => {
      await withPassword();
      await subject.signIn('bob@example.com');
      const { people, mails } = await subject.open({ methods: ['password'] });
      for (const email of ['ada@example.com', 'bob@example.com'])
        expect(await people.links.send({ email }, ORIGIN)).toBeUndefined();
      await sent();
      expect(mails.map(({ to }) => to)).toEqual(['bob@example.com']);
    });
  });
}
