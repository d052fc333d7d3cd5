import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { times } from '../../test/support/accounts/subject.ts';
import {
  FOUND,
  type IntegrationSubject,
  NOT_FOUND,
  openIntegrationSubject,
  persist,
} from '../../test/support/integrations/integration-subject.ts';
import { SYSTEM } from '../accounts/actor.ts';
import { listAudit } from '../accounts/organizations/organizations.ts';

const MINUTE_MS = 60_000;

/** What holds for integrations on every control database; `another` makes an empty one and gives its address. */
export function describeIntegrations(name: string, another: () => Promise<string>): void {
  describe(`integrations on ${name}`, () => {
    let url: string;
    let subject: IntegrationSubject;
    let organizationId: string;
    beforeEach(async () => {
      url = await another();
      subject = await openIntegrationSubject(url);
      organizationId = await subject.organization();
    });
    afterEach(() => subject.close());

    /** Another process on the same database and clock, until the test is over. */
    const openOther = () => openIntegrationSubject(url, { clock: subject.clock });
    const verify = async (page: string, org = organizationId, at = subject) => {
      const { id } = await at.declare(org, page);
      return (await at.integrations.check({ organizationId: org, id })).integration;
    };
    const auditOf = (org = organizationId) => listAudit(org, { limit: 100 }, subject.accounts.as(SYSTEM));

    test('a page is declared as pending, due at once, with a line in the audit log', async () => {
      const integration = await subject.declare(organizationId, 'https://Shop.example/a#b');
      const now = subject.clock.now();
      expect(integration).toMatchObject({ state: 'pending', url: 'https://shop.example/a', domain: 'shop.example' });
      expect(integration).toMatchObject({ nextCheckAt: now, checkedAt: null, bonusUntil: null, lapsesAt: null });
      expect(await subject.integrations.list(organizationId)).toEqual([integration]);
      expect((await auditOf())[0]).toMatchObject({
        action: 'integration.declare',
        actor: 'person:ada@example.com',
        origin: '192.0.2.7',
        subjectId: integration.id,
        details: { name: 'Ours', url: 'https://shop.example/a' },
      });
    });

    test('an address is declared once per organization until it is removed', async () => {
      const { id } = await subject.declare(organizationId, 'https://shop.example/a');
      await expect(subject.declare(organizationId, 'https://shop.example/a#x')).rejects.toThrow('already declared');
      await subject.declare(await subject.organization(), 'https://shop.example/a');
      await subject.integrations.remove({ organizationId, id });
      await subject.declare(organizationId, 'https://shop.example/a');
    });

    test('an eleventh page is refused, also of eleven at once, until one is removed', async () => {
      const declare = (page: number) => subject.declare(organizationId, `https://shop.example/${page}`);
      const outcomes = await Promise.allSettled(Array.from({ length: 11 }, (_, page) => declare(page)));
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
      const [first] = await subject.integrations.list(organizationId);
      await subject.integrations.remove({ organizationId, id: first?.id ?? '' });
      await declare(12);
      await expect(declare(13)).rejects.toThrow(/has 10 integrations, the maximum/);
    });

    test('thirty pages are declared in a day at most, whatever becomes of them', async () => {
      for (let page = 0; page < 30; page += 1) {
        const { id } = await subject.declare(organizationId, `https://shop.example/${page}`);
        await subject.integrations.remove({ organizationId, id });
      }
      await expect(subject.declare(organizationId, 'https://shop.example/')).rejects.toThrow(
        /has declared 30 pages today/,
      );
      subject.clock.set('2026-11-21T00:00:00Z');
      await subject.declare(organizationId, 'https://shop.example/');
    });

    test('what is not there, or another organization’s, is not found', async () => {
      const { id } = await subject.declare(organizationId, 'https://shop.example/');
      const other = { organizationId: await subject.organization(), id };
      const notFound = { code: 'not_found' };
      await expect(subject.integrations.find(other)).rejects.toMatchObject(notFound);
      await expect(subject.integrations.check(other)).rejects.toMatchObject(notFound);
      await expect(subject.integrations.remove(other)).rejects.toMatchObject(notFound);
      await expect(subject.declare('org_none', 'https://shop.example/')).rejects.toMatchObject(notFound);
      await expect(subject.integrations.list('org_none')).rejects.toMatchObject(notFound);
      await subject.integrations.remove({ organizationId, id });
      await expect(subject.integrations.check({ organizationId, id })).rejects.toMatchObject(notFound);
      expect(await subject.integrations.find({ organizationId, id })).toMatchObject({
        integration: { state: 'removed' },
      });
    });

    test('a check that finds the link verifies, and its evidence is kept with all that it told', async () => {
      const { id } = await subject.declare(organizationId, 'https://shop.example/');
      subject.pages.set('https://shop.example/', NOT_FOUND);
      const failed = await subject.integrations.check({ organizationId, id });
      expect(failed.integration).toMatchObject({ state: 'pending', reason: 'NOT_FOUND', problem: NOT_FOUND.message });
      subject.pages.clear();
      subject.clock.advance(MINUTE_MS);
      const { integration, checks } = await subject.integrations.check({ organizationId, id });
      expect(integration).toMatchObject({ state: 'verified', reason: 'FOUND', problem: null, bonusUntil: 'lost' });
      const { durationMs: _, ...found } = FOUND;
      expect(checks).toMatchObject([
        { ...found, durationMs: 12, isRequested: true, state: 'verified' },
        { state: 'pending' },
      ]);
      expect(checks.map(({ checkedAt }) => checkedAt.getTime() - subject.clock.now().getTime())).toEqual([
        0,
        -MINUTE_MS,
      ]);
      expect((await auditOf())[0]).toMatchObject({
        action: 'integration.verify',
        subjectId: id,
        details: { was: 'pending', reason: 'FOUND', problem: null, url: 'https://shop.example/' },
      });
    });

    test('somebody asks for one check a minute of an integration, and for thirty a day, also at once', async () => {
      const { id } = await subject.declare(organizationId, 'https://shop.example/');
      const ask = () => subject.integrations.check({ organizationId, id });
      const outcomes = await Promise.allSettled([ask(), ask(), ask()]);
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      subject.clock.advance(MINUTE_MS - 1);
      await expect(ask()).rejects.toThrow(/was checked less than a minute ago/);
      for (let check = 1; check < 30; check += 1) {
        subject.clock.advance(MINUTE_MS);
        await ask();
      }
      subject.clock.advance(MINUTE_MS);
      await expect(ask()).rejects.toThrow(/has requested 30 checks today/);
      const { id: other } = await subject.declare(organizationId, 'https://other.example/');
      await expect(subject.integrations.check({ organizationId, id: other })).rejects.toThrow(/30 checks today/);
      expect(subject.looked).toHaveLength(30);
      subject.clock.set('2026-11-21T00:00:00Z');
      await ask();
    });

    test('a site has one check at a time; who asks during another is told, and is not charged for it', async () => {
      const second = await subject.declare(organizationId, 'https://shop.example/b');
      const first = await subject.declare(organizationId, 'https://www.shop.example/a');
      const { promise, resolve } = Promise.withResolvers<typeof FOUND>();
      subject.pages.set(first.url, () => promise);
      const during = subject.integrations.check({ organizationId, id: first.id });
      while (subject.looked.length === 0) await new Promise((then) => setImmediate(then));
      const ask = () => subject.integrations.check({ organizationId, id: second.id });
      await expect(ask()).rejects.toThrow(/a page of shop.example is being checked/);
      resolve(FOUND);
      await during;
      expect((await ask()).integration.state).toBe('verified');
    });

    test('an integration that is removed during its check stays removed, and gets no evidence', async () => {
      const { id, url: page } = await subject.declare(organizationId, 'https://shop.example/');
      subject.pages.set(page, async () => {
        await subject.integrations.remove({ organizationId, id });
        return FOUND;
      });
      expect(await subject.integrations.check({ organizationId, id })).toMatchObject({
        integration: { state: 'removed', bonusUntil: null },
        checks: [],
      });
    });

    test('a check that fails for a reason of ours changes nothing, and holds up nobody', async () => {
      const { id, url: page } = await subject.declare(organizationId, 'https://shop.example/');
      subject.pages.set(page, () => Promise.reject(new Error('out of threads')));
      await expect(subject.integrations.check({ organizationId, id })).rejects.toThrow('out of threads');
      subject.pages.clear();
      subject.clock.advance(MINUTE_MS);
      expect(await subject.integrations.check({ organizationId, id })).toMatchObject({
        integration: { state: 'verified' },
        checks: [{ reason: 'FOUND' }],
      });
    });

    test('without an address of the service nothing is declared or checked, but listed and removed', async () => {
      const { id } = await subject.declare(organizationId, 'https://shop.example/');
      const other = await openIntegrationSubject(url, { publicUrl: undefined });
      const refused = { code: 'configuration', message: expect.stringContaining('MODELSTATS_PUBLIC_URL is not set') };
      await expect(other.declare(organizationId, 'https://other.example/')).rejects.toMatchObject(refused);
      await expect(other.integrations.check({ organizationId, id })).rejects.toMatchObject(refused);
      expect(await other.integrations.list(organizationId)).toHaveLength(1);
      await other.integrations.remove({ organizationId, id });
      await other.close();
    });

    test('an organization that integrations are not offered to declares none and asks for no check', async () => {
      const { id } = await subject.declare(organizationId, 'https://shop.example/');
      const pilot = await subject.organization();
      const other = await openIntegrationSubject(url, { offeredTo: [pilot], clock: subject.clock });
      await other.declare(pilot, 'https://other.example/');
      await expect(other.declare(organizationId, 'https://third.example/')).rejects.toThrow(/not available to org_/);
      await expect(other.integrations.check({ organizationId, id })).rejects.toThrow(/not available to org_/);
      await other.close();
    });

    describe('a site', () => {
      test('is the first organization’s; another one’s link there is rejected, without a word of whose it is', async () => {
        const other = await subject.organization();
        expect(await verify('https://shop.example/')).toMatchObject({ state: 'verified' });
        const rejected = await verify('https://www.shop.example/x', other);
        expect(rejected).toMatchObject({ state: 'rejected', reason: 'FOUND', bonusUntil: null });
        expect(rejected.problem).toMatch(
          /^the link was found, but another organization already has an integration on shop.example/,
        );
        expect(JSON.stringify([rejected, await auditOf(other)])).not.toContain(organizationId);
        expect(await verify('https://shop.example/second')).toMatchObject({ state: 'verified' });
      });

      test('is free when none of the holder’s pages is in force there any more, and then the next one’s', async () => {
        const other = await subject.organization();
        const [first, second] = [await verify('https://shop.example/1'), await verify('https://shop.example/2')];
        const rejected = await verify('https://shop.example/3', other);
        const check = () => {
          subject.clock.advance(MINUTE_MS);
          return subject.integrations.check({ organizationId: other, id: rejected.id });
        };
        await subject.integrations.remove({ organizationId, id: first.id });
        expect((await check()).integration.state).toBe('rejected');
        await subject.integrations.remove({ organizationId, id: second.id });
        expect((await check()).integration.state).toBe('verified');
        expect(await verify('https://shop.example/4')).toMatchObject({ state: 'rejected' });
      });

      test('that two organizations claim at once in two processes is one’s', async () => {
        const there = await openOther();
        const others = await times(6, () => subject.organization());
        const sides = others.map((org, index) => ({ org, at: index % 2 ? there : subject }));
        const pages = await Promise.all(
          sides.map(({ org, at }) => persist(() => at.declare(org, 'https://shop.example/'))),
        );
        const claimed = sides.map(async ({ org, at }, index) => {
          const id = pages[index]?.id ?? '';
          const { integration } = await persist(() => at.integrations.check({ organizationId: org, id }));
          return integration.state;
        });
        expect((await Promise.all(claimed)).sort()).toEqual([...Array(5).fill('rejected'), 'verified']);
        await there.close();
      });
    });
  });
}
