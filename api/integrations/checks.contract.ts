import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { newId } from '../../runtime/ulid.ts';
import {
  FOUND,
  type IntegrationSubject,
  NOT_FOUND,
  openIntegrationSubject,
  startService,
  type TestService,
} from '../../test/support/integrations/integration-subject.ts';
import { SYSTEM } from '../accounts/actor.ts';
import { AuditedChanges } from '../accounts/audit.ts';
import { listAudit, setEmail } from '../accounts/organizations/organizations.ts';
import { NO_END_MS } from '../accounts/organizations/terms.ts';
import { CLAIM_MS, checkCleanup, claimDue, countDue, findDueSites } from './claims.ts';
import type { Evidence } from './integration.ts';
import { recordCheck } from './record-check.ts';
import { renewSites } from './sites.ts';

const [HOUR_MS, DAY_MS] = [3_600_000, 86_400_000];

/** What holds for the job on every control database; `another` makes an empty one and gives its address. */
export function describeChecks(name: string, another: () => Promise<string>): void {
  describe(`checks of integrations on ${name}`, () => {
    let url: string;
    let subject: IntegrationSubject;
    let organizationId: string;
    let running: TestService[];
    beforeEach(async () => {
      url = await another();
      running = [];
      subject = await openIntegrationSubject(url);
      organizationId = await subject.organization();
    });
    afterEach(async () => {
      await Promise.all(running.map(({ service }) => service.stop(0)));
      await subject.close();
    });

    const start = (...words: Parameters<typeof startService>) => {
      const started = startService(...words);
      running.push(started);
      return started;
    };
    const find = async (id: string, org = organizationId) =>
      subject.integrations.find({ organizationId: org, id }, 500);
    const stateOf = async (id: string, org = organizationId) => (await find(id, org)).integration.state;
    const claimArguments = () => ({
      claimId: newId('claim'),
      now: subject.clock.now(),
      offeredTo: 'everybody' as const,
    });

    test('the life of a link that goes: at risk, lapsed, each told once by mail, and found again', async () => {
      await setEmail(organizationId, 'owner@example.com', subject.accounts.as(SYSTEM));
      const { id, url: page } = await subject.declare(organizationId, 'https://shop.example/');
      const job = start(subject);
      await job.work();
      subject.pages.set(page, NOT_FOUND);
      const hoursUntil = async (state: string) => {
        for (let hours = 0; hours < 400; hours += 1) {
          if ((await stateOf(id)) === state) return hours;
          subject.clock.advance(HOUR_MS);
          await job.work();
        }
        throw new Error(`never ${state}`);
      };
      const risk = await hoursUntil('at_risk');
      expect([risk >= 72 + 1, risk <= 72 + 24 + 2]).toEqual([true, true]);
      expect((await find(id)).integration).toMatchObject({ bonusUntil: 'lost', problem: NOT_FOUND.message });
      const lapse = await hoursUntil('lapsed');
      expect([lapse >= 7 * 24, lapse <= 7 * 24 + 1]).toEqual([true, true]);
      const { integration } = await find(id);
      const end = new Date((Math.floor(subject.clock.now().getTime() / DAY_MS) + 1) * DAY_MS);
      expect(integration.bonusUntil).toEqual(end);
      await job.turn();
      expect(job.mails.map(({ to, subject: title }) => [to, title])).toEqual([
        ['owner@example.com', 'The link to the source is missing: Ours'],
        ['owner@example.com', 'An integration lapsed: Ours'],
      ]);
      expect(job.mails[0]?.text).toContain('the page shows no link');
      expect(job.mails[1]?.text).toContain(`ends at ${end.toISOString().replace('.000', '')}`);
      subject.pages.clear();
      await hoursUntil('verified');
      expect((await find(id)).integration).toMatchObject({ bonusUntil: 'lost', failures: 0, problem: null });
      const actions = (await listAudit(organizationId, { limit: 100 }, subject.accounts.as(SYSTEM))).map(
        ({ action }) => action,
      );
      expect(actions.filter((action) => action.startsWith('integration.')).reverse()).toEqual([
        ...['integration.declare', 'integration.verify', 'integration.put_at_risk', 'integration.lapse'],
        'integration.verify',
      ]);
    });

    test('a notice that can’t be sent is sent later; one that is over by then is not', async () => {
      await setEmail(organizationId, 'owner@example.com', subject.accounts.as(SYSTEM));
      const { id } = await subject.declare(organizationId, 'https://shop.example/');
      await subject.database.kysely.updateTable('integrations').set({ state: 'at_risk', notice: 'at_risk' }).execute();
      let isDown = true;
      const sent: string[] = [];
      const send = async ({ subject: title }: { subject: string }) => {
        if (isDown) throw new Error('no mail today');
        sent.push(title);
      };
      const job = start(subject, { mailer: { send, close: () => undefined }, offeredTo: [] });
      await job.turn();
      expect(job.lines).toContain('owners could not be notified about their integrations');
      isDown = false;
      await job.turn();
      await job.turn();
      expect(sent).toEqual(['The link to the source is missing: Ours']);
      await subject.database.kysely.updateTable('integrations').set({ notice: 'at_risk' }).execute();
      isDown = true;
      await job.turn();
      await subject.integrations.check({ organizationId, id });
      isDown = false;
      await job.turn();
      expect([sent.length, await stateOf(id)]).toEqual([1, 'verified']);
    });

    test('a job that begins gives pages on hosts that many share their own sites, and each owner there is free then', async () => {
      const [first, second] = [organizationId, await subject.organization()];
      const mine = await subject.declare(first, 'https://github.com/acme/prices');
      const more = await subject.declare(first, 'https://github.com/acme/ranks');
      const theirs = await subject.declare(second, 'https://github.com/other');
      const nobodys = await subject.declare(second, 'https://github.com/nobody');
      // As a version before left them, which knew github.com alone.
      const { kysely } = subject.database;
      await kysely.insertInto('integration_sites').values({ domain: 'github.com', organization_id: first }).execute();
      const leave = (id: string, changes: object) =>
        kysely
          .updateTable('integrations')
          .set({ domain: 'github.com', due_at: null, ...changes })
          .where('id', '=', id)
          .execute();
      for (const { id } of [mine, more])
        await leave(id, { state: 'verified', reason: 'FOUND', bonus_until: NO_END_MS });
      await leave(theirs.id, { state: 'rejected', reason: 'FOUND' });
      await leave(nobodys.id, { url: 'https://github.com/' });

      await start(subject).work();

      const domains = await kysely.selectFrom('integrations').select(['id', 'domain', 'state']).orderBy('id').execute();
      expect(domains).toEqual([
        { id: mine.id, domain: 'github.com/acme', state: 'verified' },
        { id: more.id, domain: 'github.com/acme', state: 'verified' },
        { id: theirs.id, domain: 'github.com/other', state: 'verified' },
        { id: nobodys.id, domain: 'github.com', state: 'pending' },
      ]);
      const holders = await kysely.selectFrom('integration_sites').selectAll().orderBy('domain').execute();
      expect(holders.map(({ domain, organization_id }) => [domain, organization_id])).toEqual([
        ['github.com', null],
        ['github.com/acme', first],
        ['github.com/nobody', null],
        ['github.com/other', second],
      ]);
      expect(await renewSites(kysely, subject.clock.now())).toBe(0);
      expect(subject.looked).toEqual(['https://github.com/other']);
    });

    test('two jobs share the checks: each is done and written once, and a site has one at a time', async () => {
      const there = await openIntegrationSubject(url, { clock: subject.clock });
      const organizations = await Promise.all(Array.from({ length: 4 }, () => subject.organization()));
      const underWay = new Map<string, number>();
      let most = 0;
      const begun = new Set<string>();
      const bothBegan = Promise.withResolvers<void>();
      const lookOf =
        (job: string) =>
        async ({ domain }: { readonly domain: string }): Promise<Evidence> => {
          underWay.set(domain, (underWay.get(domain) ?? 0) + 1);
          most = Math.max(most, ...underWay.values());
          if (begun.add(job).size === 2) bothBegan.resolve();
          await bothBegan.promise; // However slow one of them is, it gets its part.
          underWay.set(domain, (underWay.get(domain) ?? 0) - 1);
          return FOUND;
        };
      for (const org of organizations)
        for (let page = 0; page < 10; page += 1) await subject.declare(org, `https://site-${page}.example/${org}`);
      const jobs = [start(subject, { checkPage: lookOf('one') }), start(there, { checkPage: lookOf('other') })];
      while (await countDue(subject.database.kysely, { now: subject.clock.now(), offeredTo: 'everybody' })) {
        await Promise.all(jobs.map((job) => job.turn()));
        subject.clock.advance(1_000); // Until the claim of a check is over that SQLite had no room to write down.
      }
      const checks = await subject.database.kysely.selectFrom('integration_checks').select('integration_id').execute();
      expect([checks.length, new Set(checks.map((row) => row.integration_id)).size]).toEqual([40, 40]);
      expect(most).toBe(1);
      expect(jobs.every(({ events }) => events.length > 0)).toBe(true);
      const verified = await subject.database.kysely
        .selectFrom('integrations')
        .select(['domain', 'state'])
        .where('state', '=', 'verified')
        .execute();
      expect(verified.map(({ domain }) => domain).sort()).toEqual(
        Array.from({ length: 10 }, (_, page) => `site-${page}.example`),
      );
      await Promise.all(running.splice(0).map(({ service }) => service.stop(1_000)));
      await there.close();
    });

    test('a claim ends by itself, and what its holder finds then is not written', async () => {
      const { id, domain } = await subject.declare(organizationId, 'https://shop.example/');
      const { kysely } = subject.database;
      const dead = await claimDue(kysely, domain, claimArguments());
      expect(await claimDue(kysely, domain, claimArguments())).toBeUndefined();
      subject.clock.advance(CLAIM_MS - 1);
      const due = () => findDueSites(kysely, { now: subject.clock.now(), offeredTo: 'everybody', limit: 9 });
      expect(await due()).toEqual([]);
      subject.clock.advance(1);
      expect(await due()).toEqual(['shop.example']);
      const changes = new AuditedChanges(subject.deps, SYSTEM);
      const next = await claimDue(kysely, domain, claimArguments());
      if (dead === undefined || next === undefined) throw new Error('not claimed');
      expect(await recordCheck(changes, dead, NOT_FOUND)).toBeUndefined();
      expect(await recordCheck(changes, next, FOUND)).toMatchObject({ after: 'verified' });
      expect(await recordCheck(changes, next, NOT_FOUND)).toBeUndefined();
      expect((await find(id)).checks).toHaveLength(1);
    });

    test('a clock that is behind takes nobody’s claim away, and one that was set back by far holds up no site', async () => {
      const { domain } = await subject.declare(organizationId, 'https://shop.example/');
      await claimDue(subject.database.kysely, domain, claimArguments());
      await subject.database.kysely.updateTable('integrations').set({ due_at: 0 }).execute();
      const claimAt = (aheadMs: number) => {
        const now = new Date(subject.clock.now().getTime() + aheadMs);
        return claimDue(subject.database.kysely, domain, { ...claimArguments(), now });
      };
      expect(await claimAt(-1)).toBeUndefined();
      expect(await claimAt(-9 * CLAIM_MS)).toBeUndefined();
      expect(await claimAt(-HOUR_MS)).toBeDefined();
    });

    test('only what is offered is checked', async () => {
      const pilot = await subject.organization();
      const { id } = await subject.declare(organizationId, 'https://a.example/');
      const piloted = await subject.declare(pilot, 'https://b.example/');
      const job = start(subject, { offeredTo: [pilot] });
      await job.work();
      expect([await stateOf(id), await stateOf(piloted.id, pilot)]).toEqual(['pending', 'verified']);
    });

    test('a check that fails for a reason of ours is put off, and done later', async () => {
      const { id, url: page } = await subject.declare(organizationId, 'https://shop.example/');
      subject.pages.set(page, () => Promise.reject(new Error('out of threads')));
      const job = start(subject);
      await job.work();
      expect(job.events).toMatchObject([{ type: 'put_off' }]);
      subject.pages.clear();
      subject.clock.advance(10 * 60_000);
      await job.work();
      expect([await stateOf(id), job.events.length]).toEqual(['verified', 2]);
    });

    test('the job has four checks under way, and stops in time: those are given up, and due at once for the next', async () => {
      const { id } = await subject.declare(organizationId, 'https://shop.example/');
      for (let site = 0; site < 5; site += 1) await subject.declare(organizationId, `https://site-${site}.example/`);
      const checkPage = (_: unknown, signal: AbortSignal) =>
        new Promise<Evidence>((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      const job = start(subject, { checkPage });
      while (job.service.inFlight < 4) await new Promise((resolve) => setImmediate(resolve));
      await new Promise((resolve) => setTimeout(resolve, 20)); // Time to begin another one.
      expect(job.service.inFlight).toBe(4);
      await job.service.stop(20);
      expect([job.events, (await find(id)).checks]).toEqual([[], []]);
      const next = start(subject);
      await next.work();
      expect(await stateOf(id)).toBe('verified');
    });

    test('checks older than 90 days go, and those beyond the newest 200 of an integration', async () => {
      const ids = [
        (await subject.declare(organizationId, 'https://a.example/')).id,
        (await subject.declare(organizationId, 'https://b.example/')).id,
      ];
      const now = subject.clock.now();
      const row = { duration_ms: 1, asked: 0, reason: 'FOUND', message: 'x', state: 'verified' };
      const add = async (integration_id: string | undefined, count: number, at: number) => {
        const rows = Array.from({ length: count }, () => ({
          ...row,
          id: newId('chk'),
          integration_id: integration_id ?? '',
          checked_at: at,
        }));
        await subject.database.kysely.insertInto('integration_checks').values(rows).execute();
      };
      await add(ids[0], 30, now.getTime() - 90 * DAY_MS - 1);
      await add(ids[0], 230, now.getTime() - 90 * DAY_MS);
      await add(ids[1], 200, now.getTime());
      const warnings: unknown[] = [];
      const log = { warn: (...line: unknown[]) => void warnings.push(line) };
      const cleanup = checkCleanup(subject.database.kysely, log, { rowsAtOnce: 7 });
      cleanup.at(now);
      await cleanup.idle();
      const existing = await Promise.all(ids.map(async (id) => (await find(id)).checks));
      expect([warnings, existing.map(({ length }) => length)]).toEqual([[], [200, 200]]);
      expect(existing[0]?.at(-1)?.checkedAt.getTime()).toBe(now.getTime() - 90 * DAY_MS);
    });
  });
}
