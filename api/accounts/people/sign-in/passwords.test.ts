import { APIError } from 'better-auth/api';
import { expect, test } from 'vitest';
import { openDatabase } from '../../../database/open-database.ts';
import { Outbox } from '../../mailer.ts';
import { AttemptLimits } from '../attempt-limits.ts';
import { PEOPLE_LIMITS } from '../people.ts';
import { type Auth, orRefused } from './auth.ts';
import { Passwords } from './passwords.ts';
import type { SignedIn } from './sessions.ts';

const AT = { created_at: '2026-11-20T12:00:00.000Z', updated_at: '2026-11-20T12:00:00.000Z' };
const CREDENTIALS = { email: 'ada@example.com', password: 'correct horse battery' };

const SESSION = {
  id: 'session_1',
  person: { id: 'person_1', email: CREDENTIALS.email, createdAt: new Date(0) },
  organizationId: null,
  role: null,
  createdAt: new Date(0),
  expiresAt: new Date(0),
};

test('a password that was right when it was looked at signs nobody in once another is set', async () => {
  const { kysely: database, close } = await openDatabase('sqlite::memory:');
  const person = { id: 'person_1', name: '', email: 'ada@example.com', email_verified: 1, image: null, ...AT };
  await database.insertInto('people').values(person).execute();
  const account = { id: 'account_1', account_id: 'person_1', provider_id: 'credential', person_id: 'person_1' };
  await database
    .insertInto('sign_in_accounts')
    .values({ ...account, password: 'old', ...AT })
    .execute();
  let meanwhile = async () => {};
  const signInEmail = async () => {
    await meanwhile();
    const session = { id: 'session_1', token: 'new', person_id: 'person_1', expires_at: AT.created_at, ...AT };
    await database.insertInto('sessions').values(session).execute();
    return { response: { token: 'new' }, headers: new Headers() };
  };
  const limits = new AttemptLimits(PEOPLE_LIMITS, { database, clock: () => new Date(), onHit: () => {} });
  // Of better-auth only what signs in is called: the moment in between can't be had from the real one.
  const auth = { api: { signInEmail } } as unknown as Auth;
  const clock = () => new Date();
  const outbox = new Outbox({ send: async () => {}, close: () => {} }, { warn: () => {} });
  const begun: SignedIn[] = [];
  const sessions = {
    begin: async (signedIn: SignedIn) => {
      begun.push(signedIn);
      return { session: SESSION, cookies: [] };
    },
  };
  const [as, links] = [() => expect.fail('nothing is changed'), { confirm: async () => {} }];
  const settings = { publicUrl: 'https://stats.example.com', methods: ['password'] } as const;
  const passwords = new Passwords(settings, { auth, database, limits, outbox, clock, as, links, sessions });
  const attempt = () => passwords.signIn(CREDENTIALS, { address: '127.0.0.1', userAgent: undefined });

  expect(await attempt()).toMatchObject({ session: SESSION });
  expect(begun).toEqual([{ token: 'new', cookies: [] }]);
  await database.deleteFrom('sessions').execute();
  meanwhile = async () => void (await database.updateTable('sign_in_accounts').set({ password: 'other' }).execute());
  expect(await attempt()).toBeUndefined();
  expect(begun).toHaveLength(1);
  expect(await database.selectFrom('sessions').selectAll().execute()).toEqual([]);
  await close();
});

test('what better-auth refuses is no session; what fails within it fails here as well', async () => {
  const endWith = (status: 'UNAUTHORIZED' | 'INTERNAL_SERVER_ERROR') =>
    orRefused(() => Promise.reject(new APIError(status)));
  expect(await endWith('UNAUTHORIZED')).toBeUndefined();
  await expect(endWith('INTERNAL_SERVER_ERROR')).rejects.toMatchObject({ statusCode: 500 });
});
