import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { openDatabase } from '../../../database/open-database.ts';
import { Outbox } from '../../mail/outbox.ts';
import { AttemptLimits } from '../attempt-limits.ts';
import { PEOPLE_LIMITS } from '../people-settings.ts';
import type { Auth } from './auth.ts';
import { Passwords } from './passwords.ts';

const AT = { created_at: '2026-11-20T12:00:00.000Z', updated_at: '2026-11-20T12:00:00.000Z' };
const CREDENTIALS = { email: 'ada@example.com', password: 'correct horse battery' };

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
  const limits = new AttemptLimits({ database, clock: () => new Date(), onHit: () => {} });
  // Of better-auth only what signs in is called: the moment in between can't be had from the real one.
  const auth = { api: { signInEmail } } as unknown as Auth;
  const clock = () => new Date();
  const outbox = new Outbox({ send: async () => {}, close: () => {} }, { warn: () => {} });
  const deps = { auth, database, limits, outbox, random: randomBytes, clock };
  const passwords = new Passwords({ limits: PEOPLE_LIMITS, publicUrl: 'https://stats.example.com' }, deps);
  const attempt = () => passwords.check(CREDENTIALS, { address: '127.0.0.1', userAgent: undefined });

  expect(await attempt()).toEqual({ token: 'new', cookies: [] });
  await database.deleteFrom('sessions').execute();
  meanwhile = async () => void (await database.updateTable('sign_in_accounts').set({ password: 'other' }).execute());
  expect(await attempt()).toBeUndefined();
  expect(await database.selectFrom('sessions').selectAll().execute()).toEqual([]);
  await close();
});
