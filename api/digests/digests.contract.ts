import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { AppError } from '../../runtime/errors.ts';
import { newId } from '../../runtime/ulid.ts';
import { TestClock } from '../../test/support/accounts/subject.ts';
import { publishFixtureDays, SAMPLE_DAYS } from '../../test/support/pipeline/sample-store.ts';
import {
  NIGHT_SETTINGS,
  openTemporaryStore,
  type TemporaryStore,
} from '../../test/support/pipeline/temporary-store.ts';
import { AuditedChanges, readAudit } from '../accounts/audit.ts';
import type { Mail } from '../accounts/mailer.ts';
import { openAccountsOn } from '../accounts/open-accounts.ts';
import { createOrganization } from '../accounts/organizations/organizations.ts';
import { addMember, removeMember } from '../accounts/people/memberships.ts';
import type { ControlDatabase } from '../database/control-database.ts';
import { openDatabase } from '../database/open-database.ts';
import { CLAIM_MS, claimDigest, findDueDigests } from './digest-queue.ts';
import { type DigestEvent, DigestService, type DigestServiceDeps } from './digest-service.ts';
import { chooseDigest, type DigestChoice, findDigestChoice, StopLinks, stopDigest } from './digests.ts';

const OPERATOR = { operator: 'cli:test' };
const ORIGIN = { address: '203.0.113.7', userAgent: undefined };
const HOUR = 7;
const [MINUTE_MS, DAY_MS] = [60_000, 86_400_000];
const [FIRST, , THIRD] = SAMPLE_DAYS;

/** What holds on every control database; `another` makes an empty one and gives its address. */
export function describeDigests(name: string, another: () => Promise<string>): void {
  describe(`digests by email on ${name}`, () => {
    let store: TemporaryStore;
    let url: string;
    let clock: TestClock;
    let closing: (() => Promise<void>)[];
    let database: ControlDatabase;
    let organizationId: string;

    beforeAll(async () => {
      store = await openTemporaryStore();
      await publishFixtureDays(store, SAMPLE_DAYS);
    });
    afterAll(() => store.dispose());
    beforeEach(async () => {
      url = await another();
      clock = new TestClock('2026-06-03T12:00:00Z');
      closing = [];
      database = await open();
      const accounts = await openAccountsOn(database, { clock: clock.now });
      closing.unshift(accounts.close);
      organizationId = (await createOrganization({ name: 'Acme' }, accounts.as(OPERATOR))).id;
    });
    afterEach(async () => {
      for (const close of closing) await close();
    });

    /** The control database as another process sees it. */
    async function open(): Promise<ControlDatabase> {
      const opened = await openDatabase(url, { sqlite: { blockingTimeoutMs: 5 } });
      closing.push(opened.close);
      return opened;
    }

    const changesOf = (actor: AuditedChanges['actor']) =>
      new AuditedChanges({ database: database.kysely, clock: clock.now }, actor);

    /** A member whose address is verified, and who was told about everything up to a day. */
    async function member(email: string, choice: DigestChoice = 'daily', newestDay: string | null = FIRST) {
      const { person } = await addMember({ organizationId, email, role: 'member' }, changesOf(OPERATOR));
      const isVerified = database.engine.kind === 'sqlite' ? 1 : true;
      await database.kysely
        .updateTable('people')
        .set({ email_verified: isVerified })
        .where('id', '=', person.id)
        .execute();
      const changes = changesOf({ person, origin: ORIGIN });
      await chooseDigest({ choice, newestDay, hour: HOUR }, changes);
      return { id: person.id, person, changes };
    }

    /** A process that sends; its mails, and what came of each digest. */
    function process(changes: Partial<DigestServiceDeps> = {}) {
      const [mails, events]: [Mail[], DigestEvent[]] = [[], []];
      const service = new DigestService({
        control: database,
        store: store.deps.store,
        duckdb: NIGHT_SETTINGS.duckdb,
        workFolder: `${store.folder}/../digests`,
        clock: clock.now,
        mailer: { send: async (mail) => void mails.push(mail), close: () => undefined },
        stopLinks: new StopLinks(Buffer.alloc(32)),
        publicUrl: 'https://stats.example.com',
        hour: HOUR,
        sleep: async () => undefined,
        onEvent: (event) => void events.push(event),
        log: { info: () => undefined, error: () => undefined },
        ...changes,
      });
      return { service, mails, events, resultsOf: () => events.map(({ result }) => result) };
    }

    const nextDay = () => clock.advance(DAY_MS);
    const row = () => database.kysely.selectFrom('email_digests').selectAll().executeTakeFirstOrThrow();
    const failing = (error: unknown) => ({ send: async () => Promise.reject(error), close: () => undefined });
    const DOWN = new AppError('unavailable', 'no mail today');

    test('nobody has a digest without choosing one; a choice is kept, changed, ended and audited', async () => {
      const { id, changes } = await member('ada@example.com', 'none');
      expect(await findDigestChoice(id, changes)).toBe('none');
      for (const choice of ['daily', 'daily', 'weekly', 'none'] as const) {
        await chooseDigest({ choice, newestDay: FIRST, hour: HOUR }, changes);
        expect(await findDigestChoice(id, changes)).toBe(choice);
      }
      const entries = await readAudit(database.kysely, { organizationId: undefined, limit: 3 });
      expect(entries.map(({ action, subjectId, actor, details }) => [action, subjectId, actor, details])).toEqual([
        ['person.set_digest', id, 'person:ada@example.com', { from: 'weekly', to: 'none' }],
        ['person.set_digest', id, 'person:ada@example.com', { from: 'daily', to: 'weekly' }],
        ['person.set_digest', id, 'person:ada@example.com', { from: 'none', to: 'daily' }],
      ]);
    });

    test('a due digest is sent once, from what the person was told to the newest release', async () => {
      const { id } = await member('ada@example.com');
      const { service, mails, resultsOf } = process();
      await service.sendDue();
      expect(mails).toEqual([]);
      nextDay();
      await service.sendDue();
      await service.sendDue();
      expect(mails.map(({ to, subject }) => [to, subject])).toEqual([
        ['ada@example.com', expect.stringContaining(`Daily digest to ${THIRD}: `)],
      ]);
      expect(mails[0]?.text).toContain(`What changed from ${FIRST} to ${THIRD} at https://stats.example.com`);
      expect(mails[0]?.headers?.['List-Unsubscribe-Post']).toBe('List-Unsubscribe=One-Click');
      expect(mails[0]?.headers?.['List-Unsubscribe']).toContain(`/console/digest/stop?token=${id}.`);
      expect(resultsOf()).toEqual(['sent']);
      expect(await row()).toMatchObject({
        reported_day: THIRD,
        due_at: Date.parse('2026-06-05T07:00:00Z'),
        claimed_by: null,
      });
    });

    test('without a change there is no mail, and missed days are one', async () => {
      await member('ada@example.com', 'daily', THIRD);
      const { service, mails, resultsOf } = process();
      clock.advance(9 * DAY_MS);
      await service.sendDue();
      await service.sendDue();
      expect([mails.length, resultsOf()]).toEqual([0, ['nothing']]);
      expect((await row()).due_at).toBe(Date.parse('2026-06-13T07:00:00Z'));
    });

    test('a weekly digest waits for Monday', async () => {
      await member('ada@example.com', 'weekly');
      const { service, mails } = process();
      const sentOn: string[] = [];
      for (let days = 0; days < 10; days += 1) {
        nextDay();
        await service.sendDue();
        if (mails.length > sentOn.length) sentOn.push(clock.now().toISOString().slice(0, 10));
      }
      expect(sentOn).toEqual(['2026-06-08']);
    });

    test('who chose before anything was published begins with the newest release', async () => {
      await member('ada@example.com', 'daily', null);
      const { service, mails } = process();
      nextDay();
      await service.sendDue();
      expect([mails.length, (await row()).reported_day]).toEqual([0, THIRD]);
    });

    test('who left every organization, or has not verified the address, gets none, and no backlog later', async () => {
      const ada = await member('ada@example.com');
      await member('bob@example.com');
      await removeMember({ organizationId, personId: ada.id }, changesOf(OPERATOR));
      const unverified = database.engine.kind === 'sqlite' ? 0 : false;
      await database.kysely
        .updateTable('people')
        .set({ email_verified: unverified })
        .where('email', '=', 'bob@example.com')
        .execute();
      const { service, mails, resultsOf } = process();
      nextDay();
      await service.sendDue();
      expect([mails, resultsOf()]).toEqual([[], ['nobody', 'nobody']]);
      await addMember({ organizationId, email: 'ada@example.com', role: 'member' }, changesOf(OPERATOR));
      nextDay();
      await service.sendDue();
      expect(mails).toEqual([]);
    });

    test('an account that is gone has no digest', async () => {
      const { id } = await member('ada@example.com');
      await removeMember({ organizationId, personId: id }, changesOf(OPERATOR));
      await database.kysely.deleteFrom('people').where('id', '=', id).execute();
      expect(await database.kysely.selectFrom('email_digests').selectAll().execute()).toEqual([]);
    });

    test('two processes send each digest once', async () => {
      for (let at = 0; at < 30; at += 1) await member(`m${at}@example.com`);
      const [one, other] = [process(), process({ control: await open() })];
      nextDay();
      const working = async ({ service }: typeof one) => {
        for (let times = 0; times < 50; times += 1) await service.sendDue();
      };
      await Promise.all([working(one), working(other)]);
      const sent = [...one.mails, ...other.mails].map(({ to }) => to).sort();
      expect(sent).toEqual(Array.from({ length: 30 }, (_, at) => `m${at}@example.com`).sort());
    });

    test('a digest whose process was killed before it was sent is sent by another one after the claim', async () => {
      await member('ada@example.com');
      nextDay();
      const [due] = await findDueDigests(database.kysely, { now: clock.now(), limit: 1 });
      if (due === undefined) throw new Error('no digest is due');
      const claim = { claimId: newId('claim'), now: clock.now() };
      expect(await claimDigest(database.kysely, due, claim)).toBe(true);
      expect(await claimDigest(database.kysely, due, { ...claim, claimId: newId('claim') })).toBe(false);
      const { service, mails } = process();
      await service.sendDue();
      expect(mails).toEqual([]);
      clock.advance(CLAIM_MS);
      await service.sendDue();
      expect(mails).toHaveLength(1);
    });

    test('killed between the mail and its record it is sent once more, with the same Message-ID', async () => {
      await member('ada@example.com');
      nextDay();
      const { service, mails } = process();
      await service.sendDue();
      // As before the record.
      const due_at = clock.now().getTime() - MINUTE_MS;
      await database.kysely.updateTable('email_digests').set({ reported_day: FIRST, due_at }).execute();
      await service.sendDue();
      const ids = mails.map(({ headers }) => headers?.['Message-ID']);
      expect([ids.length, new Set(ids).size, ids[0]]).toEqual([
        2,
        1,
        expect.stringMatching(/^<digest\.\w+@stats\.example\.com>$/),
      ]);
    });

    test('a mail that fails is tried again with growing delay, then left to the next digest, which has all of it', async () => {
      await member('ada@example.com');
      nextDay();
      const { service, events } = process({ mailer: failing(DOWN) });
      const triedAt: number[] = [];
      const begin = clock.now().getTime();
      for (let minutes = 0; minutes < 18 * 60; minutes += 1) {
        const before = events.length;
        await service.sendDue().catch(() => undefined);
        if (events.length > before) triedAt.push((clock.now().getTime() - begin) / MINUTE_MS);
        clock.advance(MINUTE_MS);
      }
      expect(triedAt).toEqual([0, 1, 3, 7, 15, 31, 63, 123, 183, 243, 303, 363]);
      expect(events.map(({ isGivenUp }) => isGivenUp).lastIndexOf(true)).toBe(11);
      expect(await row()).toMatchObject({
        reported_day: FIRST,
        failures: 0,
        due_at: Date.parse('2026-06-05T07:00:00Z'),
      });
      nextDay();
      const working = process();
      await working.service.sendDue();
      expect(working.mails[0]?.text).toContain(`from ${FIRST} to ${THIRD}`);
    });

    test('an address that the server refuses for good is not tried again before the next digest', async () => {
      await member('ada@example.com');
      nextDay();
      const cause = Object.assign(new Error('550 no such user'), { code: 'EENVELOPE', responseCode: 550 });
      const { service, resultsOf } = process({ mailer: failing(new AppError('unavailable', 'refused', { cause })) });
      await service.sendDue();
      clock.advance(60 * MINUTE_MS);
      await service.sendDue();
      expect(resultsOf()).toEqual(['failed']);
    });

    test('while the mail server is down only a few digests spend a try, and the others are sent when it is back', async () => {
      for (let at = 0; at < 20; at += 1) await member(`m${at}@example.com`);
      nextDay();
      const down = process({ mailer: failing(DOWN) });
      await expect(down.service.sendDue()).rejects.toThrow('no mail today');
      expect(down.events.length).toBeLessThanOrEqual(8);
      const up = process();
      await up.service.sendDue();
      expect(up.mails.length).toBe(20 - down.events.length);
    });

    test('a damaged store sends nothing, spends no try, and says so', async () => {
      await member('ada@example.com');
      nextDay();
      const broken = {
        ...store.deps.store,
        url: 'file:x',
        get: () => Promise.reject(new AppError('store_unavailable', 'no store')),
      };
      const { service, mails } = process({ store: broken as DigestServiceDeps['store'] }); // Only `get` is called.
      await expect(service.sendDue()).rejects.toThrow('no store');
      expect([mails.length, (await row()).failures, (await row()).claimed_by]).toEqual([0, 0, null]);
    });

    test('a frequency that changes while a mail is sent holds from the next one on', async () => {
      const { changes } = await member('ada@example.com');
      nextDay();
      const send = () => chooseDigest({ choice: 'weekly', newestDay: THIRD, hour: HOUR }, changes);
      const { service, resultsOf } = process({ mailer: { send, close: () => undefined } });
      await service.sendDue();
      expect(resultsOf()).toEqual(['sent']);
      expect(await row()).toMatchObject({
        frequency: 'weekly',
        reported_day: THIRD,
        due_at: Date.parse('2026-06-08T07:00:00Z'),
      });
    });

    test('a link ends the digest of its person alone, again without harm, and no other token does', async () => {
      const [ada, bob] = [await member('ada@example.com'), await member('bob@example.com')];
      const links = new StopLinks(Buffer.alloc(32, 1));
      const token = new URL(links.linkFor(ada.id, 'https://stats.example.com')).searchParams.get('token') ?? '';
      expect(links.personIdFrom(token)).toBe(ada.id);
      const [, signature] = token.split('.');
      for (const wrong of [
        '',
        '.',
        token.slice(0, -1),
        `${bob.id}.${signature}`,
        ada.id,
        `${token}.x.y`.replace(ada.id, ''),
      ])
        expect(links.personIdFrom(wrong)).toBeUndefined();
      expect(new StopLinks(Buffer.alloc(32, 2)).personIdFrom(token)).toBeUndefined();
      for (let times = 0; times < 2; times += 1) await stopDigest(ada.id, { as: changesOf, origin: ORIGIN });
      await stopDigest('person_unknown', { as: changesOf, origin: ORIGIN });
      expect(await findDigestChoice(ada.id, ada.changes)).toBe('none');
      expect(await findDigestChoice(bob.id, bob.changes)).toBe('daily');
      const [entry] = await readAudit(database.kysely, { organizationId: undefined, limit: 1 });
      expect(entry).toMatchObject({ actor: 'person:ada@example.com', origin: ORIGIN.address });
    });

    test('a stop waits for the mail under way, and aborts one that takes too long', async () => {
      await member('ada@example.com');
      nextDay();
      const begun = Promise.withResolvers<void>();
      const send = ({ signal }: Mail) =>
        new Promise<void>((_, reject) => {
          begun.resolve();
          signal?.addEventListener('abort', () => reject(new AppError('unavailable', 'aborted')));
        });
      const { service, events } = process({ mailer: { send, close: () => undefined } });
      service.start();
      await begun.promise;
      await service.stop(10);
      expect(events).toEqual([]);
      expect(await row()).toMatchObject({ failures: 0, claimed_by: null, reported_day: FIRST });
      const later = process();
      await later.service.sendDue();
      expect(later.mails).toHaveLength(1);
    });
  });
}
