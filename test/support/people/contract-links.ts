import { describe, expect, test } from 'vitest';
import type { Origin } from '../../../api/accounts/actor.ts';
import { invite, revokeInvitation } from '../../../api/accounts/people/invitations.ts';
import { cookieHeader, newestMail, ORIGIN, type PeopleSubject, sent, tokenOf } from './use-people.ts';

const MINUTE_MS = 60_000;

export function describeLinks(subject: PeopleSubject): void {
  const send = (email: string, next?: string) => subject.people.links.send({ email, next }, ORIGIN);
  const redeem = (token: string) => subject.people.links.redeem(token, ORIGIN);

  describe('links to sign in', () => {
    test('a link signs its reader in, who is a person from then on, and says where to go', async () => {
      await send('  Ada@Example.COM ', '/console/usage?days=7');
      const token = await subject.tokenFor('ada@example.com');
      const { session, cookies, next } = (await redeem(token)) ?? expect.fail('the link was not taken');
      expect(session).toMatchObject({
        id: expect.stringMatching(/^session_[0-9A-Z]{26}$/),
        person: { id: expect.stringMatching(/^person_[0-9A-Z]{26}$/), email: 'ada@example.com' },
        organizationId: null,
        role: null,
      });
      expect(next).toBe('/console/usage?days=7');
      expect((await subject.people.sessions.find(cookieHeader(cookies)))?.session).toEqual(session);
      expect((await subject.signIn('ADA@example.com')).session.person).toEqual(session.person);
    });

    test('its mail is plain and short, names the service, and says what to do if it was not asked for', async () => {
      await send('ada@example.com');
      const mail = await newestMail(subject, 'ada@example.com');
      expect(mail.subject).toBe('Sign in at stats.example.com');
      expect(mail.link).toMatch(/^https:\/\/stats\.example\.com\/console\/sign-in\/link\?token=/);
      expect(mail.text.split('\n')).toContain(mail.link);
      expect(mail.text).toMatch(/https:\/\/stats\.example\.com with this address/);
      expect(mail.text).toMatch(/If you didn't request this email, ignore it/);
      expect(mail.text.length).toBeLessThan(700);
    });

    test('of two that open the same link at once, one is signed in, and there is one session', async () => {
      await subject.signIn('ada@example.com');
      const other = await subject.open();
      for (let round = 0; round < 3; round += 1) {
        await send('ada@example.com');
        const token = await subject.tokenFor('ada@example.com');
        const all = [subject.people, other.people, subject.people];
        const sessions = await Promise.all(all.map(({ links }) => links.redeem(token, ORIGIN)));
        expect(sessions.filter((session) => session !== undefined)).toHaveLength(1);
      }
      expect(await subject.rows('sessions')).toHaveLength(4);
    });

    test('a link is good for 15 minutes', async () => {
      await send('ada@example.com');
      const early = await subject.tokenFor('ada@example.com');
      subject.advance(15 * MINUTE_MS - 1000);
      await send('ada@example.com');
      const late = await subject.tokenFor('ada@example.com');
      expect(await redeem(early)).toBeDefined();
      subject.advance(15 * MINUTE_MS + 1000);
      expect(await redeem(late)).toBeUndefined();
    });

    test('what was never a link signs nobody in', async () => {
      for (const token of ['', '.', 'x', 'a.b.c', `${'a'.repeat(32)}.`, `${'a'.repeat(200)}.eA`, "' or 1=1.--"]) {
        expect(await subject.people.links.describe(token, ORIGIN)).toBeUndefined();
        expect(await redeem(token)).toBeUndefined();
      }
    });

    test('a link says whom it signs in and whether this browser asked for it, as often as it is looked at, until it is used or over', async () => {
      const [own, other] = ['o'.repeat(43), 'x'.repeat(43)];
      const describeIn = (text: string, from?: string) =>
        subject.people.links.describe(text, { ...ORIGIN, browser: from });
      await subject.people.links.send({ email: 'ada@example.com' }, { ...ORIGIN, browser: own });
      const token = await subject.tokenFor('ada@example.com');
      for (const [browser, isOwn] of [
        [own, true],
        [other, false],
        [undefined, false],
      ] as const)
        expect(await describeIn(token, browser)).toEqual({ email: 'ada@example.com', isOwn });
      expect(await describeIn(token.replace(own, other), own)).toMatchObject({ isOwn: false });
      expect(await describeIn(token.replace(`.${own}`, ''), own)).toMatchObject({ isOwn: false });
      expect(await redeem(token)).toBeDefined();
      expect(await describeIn(token, own)).toBeUndefined();
      await send('ada@example.com');
      const unused = await subject.tokenFor('ada@example.com');
      subject.advance(15 * MINUTE_MS + 1000);
      expect(await describeIn(unused)).toBeUndefined();
    });

    test('a link that replaces a session in the browser ends it', async () => {
      const before = await subject.signIn('bob@example.com');
      await send('ada@example.com');
      const token = await subject.tokenFor('ada@example.com');
      expect(await subject.people.links.redeem(token, ORIGIN, before.session)).toBeDefined();
      expect(await subject.people.sessions.find(cookieHeader(before.cookies))).toBeUndefined();
    });

    test('a link leads to the longest path that there is', async () => {
      const next = `/console/${'x'.repeat(3990)}`;
      await send('ada@example.com', next);
      expect(await redeem(await subject.tokenFor('ada@example.com'))).toMatchObject({ next });
    });

    test('neither the link nor its token is in the database', async () => {
      await send('ada@example.com');
      const [token = ''] = (await subject.tokenFor('ada@example.com')).split('.');
      const rows = await subject.rows('verifications');
      expect(rows).toHaveLength(1);
      expect(JSON.stringify(rows)).not.toContain(token);
    });

    test('a link whose way was changed on the way leads to the console', async () => {
      await send('ada@example.com', '/console/keys');
      const [token] = (await subject.tokenFor('ada@example.com')).split('.');
      const changed = Buffer.from('https://evil.example/').toString('base64url');
      expect(await redeem(`${token}.${changed}`)).toMatchObject({ next: '/console' });
    });

    test('an address gets 5 mails at once, then one every 10 minutes, whoever asks for them and however many ask at once', async () => {
      const origins = Array.from({ length: 20 }, (_, index) => ({ ...ORIGIN, address: `198.51.100.${index}` }));
      const sendFrom = (origin: Origin) => subject.people.links.send({ email: 'Ada@example.com' }, origin);
      expect(new Set(await Promise.all(origins.map(sendFrom)))).toEqual(new Set([undefined]));
      await sent();
      expect(subject.mails).toHaveLength(5);
      subject.advance(10 * MINUTE_MS);
      for (const origin of origins) await sendFrom(origin);
      await sent();
      expect(subject.mails).toHaveLength(6);
    });

    test('one place asks for 4 mails to one address at once, then for one every 15 minutes, and leaves one for others', async () => {
      for (let count = 0; count < 4; count += 1) expect(await send('ada@example.com')).toBeUndefined();
      expect(await send('ada@example.com')).toEqual({ tooMany: true, retryAfterSeconds: 900 });
      const elsewhere = { ...ORIGIN, address: '198.51.100.1' };
      await subject.people.links.send({ email: 'ada@example.com' }, elsewhere);
      await sent();
      expect(subject.mails).toHaveLength(5);
      subject.advance(15 * MINUTE_MS);
      expect([await send('ada@example.com'), await send('ada@example.com')]).toEqual([
        undefined,
        { tooMany: true, retryAfterSeconds: 900 },
      ]);
    });

    test('as many mails as are configured reach one address at once, and one less from one place', async () => {
      const { people, mails } = await subject.open({ limits: { mailsPerAddress: 2 } });
      const askFrom = (address: string) => people.links.send({ email: 'ada@example.com' }, { ...ORIGIN, address });
      expect(await askFrom('198.51.100.1')).toBeUndefined();
      expect(await askFrom('198.51.100.1')).toMatchObject({ tooMany: true });
      for (const address of ['198.51.100.2', '198.51.100.3']) expect(await askFrom(address)).toBeUndefined();
      await sent();
      expect(mails).toHaveLength(2);
    });

    test('a place asks for 30 mails an hour, with IPv6 its /64', async () => {
      const from = (index: number) => ({ ...ORIGIN, address: `2001:db8:0:1::${index.toString(16)}` });
      for (let index = 0; index < 30; index += 1)
        expect(await subject.people.links.send({ email: `p${index}@example.com` }, from(index))).toBeUndefined();
      const sendFrom = (origin: Origin) => subject.people.links.send({ email: 'new@example.com' }, origin);
      expect(await sendFrom(from(31))).toMatchObject({ tooMany: true });
      expect(await sendFrom({ ...ORIGIN, address: '2001:db8:0:2::1' })).toBeUndefined();
    });

    test('attempts count together in all processes', async () => {
      const other = await subject.open();
      for (const { people } of [subject, other, subject, other])
        expect(await people.links.send({ email: 'ada@example.com' }, ORIGIN)).toBeUndefined();
      for (const { people } of [subject, other])
        expect(await people.links.send({ email: 'ada@example.com' }, ORIGIN)).toMatchObject({ tooMany: true });
    });

    test('who is refused once is refused until the time is over without a statement', async () => {
      const { people, statements } = await subject.open({ limits: { mailsPerOrigin: 1 } });
      const ask = () => people.links.send({ email: 'ada@example.com' }, ORIGIN);
      expect([await ask(), await ask()]).toEqual([undefined, { tooMany: true, retryAfterSeconds: 3600 }]);
      await expect.poll(() => statements.filter((kind) => kind === 'DeleteQueryNode')).toHaveLength(7);
      const before = statements.length;
      subject.advance(30 * MINUTE_MS);
      await sent();
      for (let count = 0; count < 10; count += 1)
        expect(await ask()).toEqual({ tooMany: true, retryAfterSeconds: 1800 });
      expect(statements.slice(before)).toEqual([]);
      subject.advance(30 * MINUTE_MS);
      expect(await ask()).toBeUndefined();
    });

    test('the answer does not wait for the mail server, nor tell that it refused', async () => {
      const { promise, resolve: response } = Promise.withResolvers<void>();
      const refuse = () => promise.then(() => expect.fail('550 no such mailbox'));
      const { people, warnings } = await subject.open({}, { send: refuse });
      expect(await people.links.send({ email: 'ada@example.com' }, ORIGIN)).toBeUndefined();
      response();
      await people.close();
      const told = { to: 'ada@example.com', reason: '550 no such mailbox' };
      expect(warnings).toEqual([[told, 'an email could not be sent']]);
    });

    test('the table of counts names no address', async () => {
      await send('ada@example.com');
      const rows = await subject.rows('sign_in_limits');
      expect(rows).toHaveLength(3);
      expect(JSON.stringify(rows)).not.toMatch(/ada|203\.0\.113/);
    });
  });

  describe('links where sign-up is by invitation', () => {
    const ADDRESSES = ['owner@example.com', 'guest@example.com', 'stranger@example.com'];
    /** An organization of the owner, to which the guest is invited. */
    const start = async () => {
      const { id: organizationId } = await subject.organization({ 'owner@example.com': 'owner' });
      const opened = await subject.open({ signUp: 'invited' });
      const guest = { organizationId, email: 'guest@example.com', role: 'member' } as const;
      const operator = opened.people.as({ operator: 'cli:ada' });
      const { id: invitationId } = await invite(guest, operator, opened.people);
      const revoke = () => revokeInvitation({ organizationId, invitationId }, operator);
      return { ...opened, revoke };
    };

    test('known, invited and unknown addresses get the same answer and make the same rows, and mail goes where it is due', async () => {
      const { people, mails } = await start();
      const before = (await subject.rows('verifications')).length;
      for (const email of ADDRESSES) expect(await people.links.send({ email }, ORIGIN)).toBeUndefined();
      await sent();
      expect(await subject.rows('verifications')).toHaveLength(before + 3);
      expect(mails.map(({ to, subject: title }) => [to, title])).toEqual([
        ['guest@example.com', 'Invitation at stats.example.com'],
        ['owner@example.com', 'Sign in at stats.example.com'],
        ['guest@example.com', 'Sign in at stats.example.com'],
      ]);
    });

    test('known, invited and unknown addresses cost the same statements', async () => {
      const { people, statements } = await start();
      const costs: (readonly string[])[] = [];
      // The hourly clean-up, which the invitation has started, is through with its seven tables; the invitation deletes once, too.
      const deletions = () => statements.filter((kind) => kind === 'DeleteQueryNode').length;
      await expect.poll(() => deletions()).toBeGreaterThan(7);
      await sent();
      for (const email of ADDRESSES) {
        const before = statements.length;
        await people.links.send({ email }, ORIGIN);
        costs.push(statements.slice(before));
      }
      expect(costs[0]?.length).toBeGreaterThan(2);
      expect(costs.slice(1)).toEqual([costs[0], costs[0]]);
    });

    test('a link makes nobody a person whose invitation was taken back meanwhile', async () => {
      const { people, mails, revoke } = await start();
      await people.links.send({ email: 'guest@example.com' }, ORIGIN);
      const token = tokenOf(await newestMail({ mails }, 'guest@example.com'));
      await revoke();
      expect(await people.links.redeem(token, ORIGIN)).toBeUndefined();
      expect(await subject.rows('people')).toMatchObject([{ email: 'owner@example.com' }]);
    });
  });
}
