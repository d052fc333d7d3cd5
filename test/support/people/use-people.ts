import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import type { KyselyPlugin } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, expect, vi } from 'vitest';
import type { Origin } from '../../../api/accounts/actor.ts';
import type { Mail, Mailer } from '../../../api/accounts/mailer.ts';
import { addMember } from '../../../api/accounts/people/memberships.ts';
import { openPeople } from '../../../api/accounts/people/open-people.ts';
import {
  type ConnectionSettings,
  PEOPLE_LIMITS,
  type PeopleLimits,
  type PeopleSettings,
  type Role,
  type Session,
} from '../../../api/accounts/people/people.ts';
import type { ControlDatabase } from '../../../api/database/control-database.ts';
import { openDatabase } from '../../../api/database/open-database.ts';
import type { ControlTables } from '../../../api/database/tables/tables.ts';

/** On a busy machine two dozen who ask at once wait for each other longer than the service lets them. */
const PATIENT = { postgres: { statementTimeoutMs: 60_000, connectTimeoutMs: 60_000 } };

export const ORIGIN: Origin = { address: '203.0.113.7', userAgent: 'Firefox on a phone' };
export const PASSWORD = 'correct horse battery';
export const START = new Date('2026-11-20T12:00:00Z');

export const CONNECTIONS: ConnectionSettings = {
  resource: 'https://stats.example.com/mcp',
  accessTokenSeconds: 3_600,
  refreshTokenSeconds: 30 * 86_400,
};

export const SETTINGS: PeopleSettings = {
  publicUrl: 'https://stats.example.com',
  secret: 'V2hhdCBpcyBzZWNyZXQgaW4gYSB0ZXN0LCBpcyBub3Qu',
  methods: ['link', 'password'],
  signUp: 'open',
  sessionMs: 30 * 86_400_000,
  sessionRefreshMs: 86_400_000,
  limits: PEOPLE_LIMITS,
  connections: CONNECTIONS,
};

export type SettingsChanges = Partial<Omit<PeopleSettings, 'limits'>> & { readonly limits?: Partial<PeopleLimits> };
export type OpenedPeople = Awaited<ReturnType<typeof peopleOn>>;
export type PeopleSubject = ReturnType<typeof usePeople>;

/** The least that scrypt may cost: 32 MB, each some 0.1 s (OWASP, Password Storage). */
const SCRYPT_MIN = { N: 16_384, r: 16 };

/**
 * Has the tests of a file hash passwords a thousand times cheaper than people's, by the same code: that what was asked for costs an
 * attacker enough is checked before. What isn't hashed in this process is not changed.
 */
function useCheapScrypt(): void {
  const { scrypt } = crypto;
  beforeAll(() => {
    const cheap = (...[password, salt, length, { N = 0, r = 0, ...asked }, done]: ScryptCall) => {
      if (N < SCRYPT_MIN.N || r < SCRYPT_MIN.r) throw new Error('this scrypt is too cheap');
      scrypt(password, salt, length, { ...asked, N: 16, r }, done);
    };
    vi.spyOn(crypto, 'scrypt').mockImplementation(cheap as never);
    syncBuiltinESMExports();
  });
  afterAll(() => {
    vi.mocked(crypto.scrypt).mockRestore(); // Other files share the process.
    syncBuiltinESMExports();
  });
}

/** Has the next so many passwords hashed when all of them are asked for: what each read before, none of them has changed. */
export function hashTogether(count: number): void {
  const scrypt = vi.mocked(crypto.scrypt);
  const cheap = scrypt.getMockImplementation();
  const waiting: (() => void)[] = [];
  const meet = (...call: ScryptCall) => {
    waiting.push(() => cheap?.(...call));
    if (waiting.length === count) for (const hash of waiting) hash();
  };
  for (let times = 0; times < count; times += 1) scrypt.mockImplementationOnce(meet);
}

/** Has something happen while the next password is hashed: after what was read for it, before what is done with it. */
export function whileHashing(work: () => Promise<unknown>): void {
  const scrypt = vi.mocked(crypto.scrypt);
  const cheap = scrypt.getMockImplementation();
  scrypt.mockImplementationOnce((...call: ScryptCall) => void work().then(() => cheap?.(...call)));
}

type ScryptCall = Parameters<typeof crypto.scrypt>;

/**
 * People on an empty control database, as one process sees them, for each test; `another` makes such a database and gives its address.
 * The clock stands still until a test advances it.
 */
export function usePeople(another: () => Promise<string>) {
  let url = '';
  let database: ControlDatabase;
  let opened: OpenedPeople;
  let closing: (() => Promise<void>)[];
  useCheapScrypt();

  /** The same control database seen by another process, or under other settings. */
  const open = async (changes: SettingsChanges = {}, mailer?: Pick<Mailer, 'send'>) => {
    const of = await openDatabase(url, PATIENT);
    const made = await peopleOn(of, changes, mailer);
    closing.push(made.people.close, of.close);
    return made;
  };

  beforeEach(async () => {
    // better-auth reads the system's clock; timers go on, as databases need them.
    vi.useFakeTimers({ toFake: ['Date'], now: START });
    closing = [];
    url = await another();
    database = await openDatabase(url, PATIENT);
    opened = await peopleOn(database, {});
  });
  afterEach(async () => {
    for (const close of closing) await close();
    await opened.people.close();
    await database.close();
    vi.useRealTimers();
  });

  /** The token in the newest mail's link, which the address was sent. */
  const tokenFor = async (email: string) => tokenOf(await newestMail(opened, email));
  const signIn = async (email: string) => {
    await opened.people.links.send({ email }, ORIGIN);
    return (await opened.people.links.redeem(await tokenFor(email), ORIGIN)) ?? expect.fail('the link was not taken');
  };
  /** What somebody does whose session this is. */
  const as = ({ person }: Pick<Session, 'person'>, { people }: Pick<OpenedPeople, 'people'> = opened) =>
    people.as({ person, origin: ORIGIN });
  return {
    get url() {
      return url;
    },
    get database() {
      return database;
    },
    get people() {
      return opened.people;
    },
    /** What was sent, oldest first. */
    get mails() {
      return opened.mails;
    },
    open,
    advance: (milliseconds: number) => void vi.setSystemTime(Date.now() + milliseconds),
    tokenFor,
    signIn,
    as,
    /** What somebody does who signs in for it. */
    signInAs: async (email: string) => as((await signIn(email)).session),
    operator: () => opened.people.as({ operator: 'cli:ada' }),
    audit: () => database.kysely.selectFrom('audit_log').selectAll().orderBy('id', 'desc').execute(),
    rows: <Table extends keyof ControlTables>(table: Table) => database.kysely.selectFrom(table).selectAll().execute(),
    /** An organization with these members, who are signed in; what each of them does, and who they are, by address of mail. */
    async organization(members: Readonly<Record<string, Role>>) {
      const id = `org_${Object.keys(members).join('_')}`;
      const row = { id, name: 'Acme', created_at: Date.now(), email: null, created_by: null };
      await database.kysely.insertInto('organizations').values(row).execute();
      const sessions = new Map<string, Session>();
      for (const [email, role] of Object.entries(members)) {
        await addMember({ organizationId: id, email, role }, opened.people.as({ operator: 'cli:ada' }));
        sessions.set(email, (await signIn(email)).session);
      }
      const sessionOf = (email: string) => sessions.get(email) ?? expect.fail(`there is no ${email}`);
      return { id, as: (email: string) => as(sessionOf(email)), personOf: (email: string) => sessionOf(email).person };
    },
  };
}

async function peopleOn(
  opened: ControlDatabase,
  { limits, ...changes }: SettingsChanges,
  sender?: Pick<Mailer, 'send'>,
) {
  const [mails, warnings, statements]: [Mail[], unknown[], string[]] = [[], [], []];
  const mailer = { send: async (mail: Mail) => void mails.push(mail), close: () => {}, ...sender };
  const settings = { ...SETTINGS, ...changes, limits: { ...SETTINGS.limits, ...limits } };
  const log = { warn: (...line: unknown[]) => void warnings.push(line) };
  const counting: KyselyPlugin = {
    transformQuery({ node }) {
      statements.push(node.kind);
      return node;
    },
    transformResult: async ({ result }) => result,
  };
  const database = { ...opened, kysely: opened.kysely.withPlugin(counting) };
  const people = await openPeople(settings, { database, mailer, log });
  statements.length = 0; // Of opening.
  return {
    people,
    mails,
    warnings,
    /** What was asked of the database, oldest first: the kind of each statement. */
    statements,
  };
}

/** Mails leave behind the answer, in the next turn of the event loop. */
export async function sent(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

export async function newestMail({ mails }: Pick<OpenedPeople, 'mails'>, email: string): Promise<Mail> {
  await sent();
  return mails.findLast(({ to }) => to === email.toLowerCase()) ?? expect.fail(`${email} was sent nothing`);
}

export function tokenOf({ link = '' }: Pick<Mail, 'link'>): string {
  return new URL(link).searchParams.get('token') ?? expect.fail('the link has no token');
}

/** What a browser sends back of the cookies that it was given. */
export function cookieHeader(cookies: readonly string[]): string {
  return cookies.map((cookie) => cookie.split(';', 1)[0] ?? '').join('; ');
}
