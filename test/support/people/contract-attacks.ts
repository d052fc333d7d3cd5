import { describe, expect, test } from 'vitest';
import type { Origin } from '../../../api/accounts/actor.ts';
import { type OpenedPeople, ORIGIN, PASSWORD, type PeopleSubject, sent, tokenOf } from './use-people.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const ADA = 'ada@example.com';

/** Strangers who want to keep somebody out or to get in, over days, while that person signs in (decision 0100). */
export function describeAttacks(subject: PeopleSubject): void {
  let places = 0;
  const newPlace = (): Origin => {
    places += 1;
    return { ...ORIGIN, address: `2001:db8:${(places >> 12).toString(16)}:${(places & 0xfff).toString(16)}::1` };
  };
  const onePlace: Origin = { ...ORIGIN, address: '198.51.100.66' };

  /** Has strangers act every few minutes for hours, and the person every seven hours. */
  const underAttack = async (
    { everyMs, hours }: { readonly everyMs: number; readonly hours: number },
    acts: { readonly attack: () => Promise<unknown>; readonly signIn: () => Promise<unknown> },
  ) => {
    for (let passedMs = 0; passedMs < hours * HOUR_MS; passedMs += everyMs) {
      await acts.attack();
      if (passedMs % (7 * HOUR_MS) < everyMs) await acts.signIn();
      subject.advance(everyMs);
    }
  };

  const signInByLink = async () => {
    expect(await subject.people.links.send({ email: ADA }, ORIGIN)).toBeUndefined();
    const session = await subject.people.links.redeem(await subject.tokenFor(ADA), ORIGIN);
    expect(session?.session.person.email).toBe(ADA);
  };

  describe('a person whom strangers want to keep out', () => {
    test.each([
      ['one place', () => onePlace],
      ['a new place each time', newPlace],
    ])(
      'signs in with a link on every attempt while %s asks for links for hours, and gets 6 mails an hour',
      async (_, from) => {
        const attack = async () => {
          for (let count = 0; count < 3; count += 1) await subject.people.links.send({ email: ADA }, from());
        };
        await underAttack({ everyMs: 7 * MINUTE_MS, hours: 8 }, { attack, signIn: signInByLink });
        expect(subject.mails.length).toBeLessThanOrEqual(8 * 6 + 5);
      },
    );

    test('signs in with the password while one place guesses it all day', async () => {
      const { people } = await openFor(subject);
      const guess = () => people.passwords.signIn({ email: ADA, password: 'wrong' }, onePlace);
      const signIn = async () => {
        const response = await people.passwords.signIn({ email: ADA, password: PASSWORD }, ORIGIN);
        expect(response).toHaveProperty('session');
      };
      await underAttack({ everyMs: 2 * HOUR_MS, hours: 15 }, { attack: guess, signIn });
    });

    test('signs in with the password and a link while many places guess it, and they learn nothing from the right one', async () => {
      const opened = await openFor(subject);
      const { links, passwords } = opened.people;
      const guess = (password: string) => passwords.signIn({ email: ADA, password }, newPlace());
      for (let count = 0; count < 10; count += 1) expect(await guess('wrong')).toBeUndefined();
      const attack = async () => {
        await guess('wrong'); // As many as are made up for meanwhile: one at most.
        expect(await guess('wrong')).toEqual({ confirmByMail: true });
      };
      let confirmed = 0;
      const comeIn = async () => {
        const credentials = { email: ADA, password: PASSWORD, next: '/console/you' };
        expect(await passwords.signIn(credentials, newPlace())).toEqual({ confirmByMail: true });
        await sent();
        confirmed += 1;
        expect(opened.mails).toHaveLength(confirmed);
        const session = await links.redeem(tokenOf(opened.mails.at(-1) ?? {}), ORIGIN);
        expect(session).toMatchObject({ session: { person: { email: ADA } }, next: '/console/you' });
      };
      await underAttack({ everyMs: 2 * HOUR_MS, hours: 15 }, { attack, signIn: comeIn });
      const guessNobody = () => passwords.signIn({ email: 'nobody@example.com', password: 'wrong' }, newPlace());
      for (let count = 0; count < 10; count += 1) await guessNobody();
      expect(await guessNobody()).toEqual({ confirmByMail: true });
      expect(opened.mails).toHaveLength(confirmed);
    });
  });
}

/** Where ada has a password, of which one place may guess one in 15 minutes, and all together ten a day. */
async function openFor(subject: PeopleSubject): Promise<OpenedPeople> {
  const { session } = await subject.signIn(ADA);
  await subject.people.passwords.set(session, { password: PASSWORD }, ORIGIN);
  return subject.open({ limits: { passwordsPerAddress: 1 } });
}
