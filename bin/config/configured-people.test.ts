import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { People } from '../../api/accounts/people/open-people.ts';
import type { ControlDatabase } from '../../api/database/control-database.ts';
import { openDatabase } from '../../api/database/open-database.ts';
import { useFolder } from '../../test/support/temporary-folder.ts';
import { type Config, configFromEnv } from './config.ts';
import { publicUrlOf } from './configured-accounts.ts';
import { openConfiguredPeople } from './configured-people.ts';
import { configuredKeyBytes } from './secret-keys-file.ts';

const ORIGIN = { address: '127.0.0.1', userAgent: undefined };

const path = useFolder({ perTest: true });
let database: ControlDatabase;
let closing: (() => Promise<void>)[];
beforeEach(async () => {
  database = await openDatabase(configured().database.url);
  closing = [];
});
afterEach(async () => {
  for (const close of closing) await close();
  await database.close();
});

function configured(changes: Readonly<Record<string, string>> = {}): Config {
  const places = {
    MODELSTATS_DATABASE: `sqlite:${path('accounts.db')}`,
    MODELSTATS_MAIL: path('mail'),
  };
  return configFromEnv({ ...places, ...changes });
}

async function open(changes: Readonly<Record<string, string>> = {}): Promise<{ people: People; links: string[] }> {
  const links: string[] = [];
  const note = ({ link }: { link?: string }) => void links.push(link ?? '');
  const people = await openConfiguredPeople(configured(changes), database, { log: { info: note, warn: note } });
  closing.push(people.close);
  return { people, links };
}

async function signIn(changes: Readonly<Record<string, string>> = {}) {
  const { people, links } = await open(changes);
  await people.links.send({ email: 'ada@example.com' }, ORIGIN);
  await expect.poll(() => links).toHaveLength(1);
  const token = new URL(links[0] ?? '').searchParams.get('token') ?? '';
  const session = await people.links.redeem(token, ORIGIN);
  if (session === undefined) throw new Error('the link was not taken');
  return { people, ...session, cookie: session.cookies[0]?.split(';')[0] };
}

test('without a mail server the log has the link, and whoever opens it is signed in', async () => {
  const { people, session, cookie } = await signIn();
  expect((await people.sessions.find(cookie))?.session).toEqual(session);
});

test('a session lasts as long as it is configured', async () => {
  const { session } = await signIn({ MODELSTATS_SESSION_DAYS: '2' });
  const days = (session.expiresAt.getTime() - session.createdAt.getTime()) / 86_400_000;
  expect(days).toBeCloseTo(2, 3);
});

test('the secret of sessions comes from the first key for secrets at rest, and is in no table', async () => {
  const { people, cookie } = await signIn();
  const [key = Buffer.alloc(0)] = await configuredKeyBytes(configured());
  const other = Buffer.alloc(32, 7).toString('base64');
  const same = await open({ MODELSTATS_SECRET_KEYS: `${key.toString('base64')},${other}` });
  expect(await same.people.sessions.find(cookie)).toBeDefined();
  const rotated = await open({ MODELSTATS_SECRET_KEYS: `${other},${key.toString('base64')}` });
  expect(await rotated.people.sessions.find(cookie)).toBeUndefined();
  expect(await people.sessions.find(cookie)).toBeDefined();
  const { rows } = await sql`select * from service_values`.execute(database.kysely);
  expect(rows).toEqual([]);
});

test.each([
  [{}, 'http://127.0.0.1:8080'],
  [{ MODELSTATS_HOST: '0.0.0.0', MODELSTATS_PORT: '80' }, 'http://localhost:80'],
  [{ MODELSTATS_HOST: '::1' }, 'http://[::1]:8080'],
  [{ MODELSTATS_PUBLIC_URL: 'https://example.com', MODELSTATS_BASE_PATH: '/stats' }, 'https://example.com/stats'],
])('with %j links begin with %s', (changes, url) => {
  expect(publicUrlOf(configured(changes))).toBe(url);
});

test.each([
  [{ MODELSTATS_PUBLIC_URL: 'https://stats.example.com' }, true],
  [{ MODELSTATS_HOST: '127.0.0.1' }, true],
  [{ MODELSTATS_PUBLIC_URL: 'http://stats.example.com' }, false],
  [{ MODELSTATS_CAPABILITIES: 'mcp=planned' }, false],
])('with %o programs can be connected: %s', async (changes, isOffered) => {
  const { people } = await open(changes);
  expect(people.authorization !== undefined).toBe(isOffered);
});
