import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { callerOf, times } from '../../test/support/accounts/subject.ts';
import {
  type IntegrationSubject,
  openIntegrationSubject,
  persist,
} from '../../test/support/integrations/integration-subject.ts';
import { SYSTEM } from '../accounts/actor.ts';
import { createKey } from '../accounts/organizations/keys.ts';
import { changePlan, getOrganization } from '../accounts/organizations/organizations.ts';

/** What holds for what integrations earn on every control database; `another` makes an empty one and gives its address. */
export function describeBonus(name: string, another: () => Promise<string>): void {
  describe(`the bonus on ${name}`, () => {
    let url: string;
    let subject: IntegrationSubject;
    let organizationId: string;
    beforeEach(async () => {
      url = await another();
      subject = await openIntegrationSubject(url);
      organizationId = await subject.organization();
    });
    afterEach(() => subject.close());

    /** Another process on the same database and clock; close it. */
    const openOther = () => openIntegrationSubject(url, { clock: subject.clock });
    const verify = async (page: string, org = organizationId) => {
      const { id } = await subject.declare(org, page);
      return (await subject.integrations.check({ organizationId: org, id })).integration;
    };
    const keyOf = async (org = organizationId) =>
      (await createKey({ organizationId: org, name: 'test' }, subject.accounts.as(SYSTEM))).key;
    const limitOf = async (at: IntegrationSubject, key: string) => (await callerOf(at.accounts, key)).terms.quotaLimit;

    test('holds at once here and after 3 seconds elsewhere, for two at most', async () => {
      const there = await openOther();
      const key = await keyOf();
      expect([await limitOf(subject, key), await limitOf(there, key)]).toEqual([500, 500]);
      const limits: (number | null)[] = [];
      for (const page of ['https://a.example/', 'https://b.example/', 'https://c.example/']) {
        await verify(page);
        limits.push(await limitOf(subject, key));
        subject.clock.advance(3_000);
        limits.push(await limitOf(there, key));
      }
      expect(limits).toEqual([750, 750, 1000, 1000, 1000, 1000]);
      const { terms } = await getOrganization(organizationId, there.accounts.as(SYSTEM));
      expect([terms.quotaLimit, terms.dailyQuota]).toEqual([1000, 500]);
      await there.close();
    });

    test('is shown of the two that earn it alone: a third takes the place of one that lapses or is removed', async () => {
      const [a, b, c] = [
        await verify('https://a.example/'),
        await verify('https://b.example/'),
        await verify('https://c.example/'),
      ];
      const shown = async () => (await subject.integrations.list(organizationId)).map(({ bonusUntil }) => bonusUntil);
      expect([a.bonusUntil, b.bonusUntil, c.bonusUntil]).toEqual(['lost', 'lost', null]);
      expect(await shown()).toEqual(['lost', 'lost', null]);
      const removed = await subject.integrations.remove({ organizationId, id: a.id });
      expect([removed.bonusUntil, await shown()]).toEqual([null, ['lost', 'lost']]);
      // Of two that end together one counts until then.
      await subject.integrations.remove({ organizationId, id: b.id });
      const { integration } = await subject.integrations.find({ organizationId, id: a.id });
      expect([integration.bonusUntil, await shown()]).toEqual([new Date('2026-11-21T00:00:00Z'), ['lost']]);
      const changes = subject.accounts.as(SYSTEM);
      await changePlan(organizationId, (before) => ({ ...before, plan: 'commercial' }), changes);
      expect(await shown()).toEqual([null]);
    });

    test('of the plan in force: none on Commercial, and Community’s after a Builder’s time is over', async () => {
      await verify('https://a.example/');
      const key = await keyOf();
      const change = (changes: object) =>
        changePlan(organizationId, (before) => ({ ...before, ...changes }), subject.accounts.as(SYSTEM));
      await change({ plan: 'builder' });
      expect(await limitOf(subject, key)).toBe(5250);
      await change({ status: 'past_due', graceUntil: new Date('2026-11-20T18:00:00Z') });
      subject.clock.set('2026-11-20T17:59:59.999Z');
      expect(await limitOf(subject, key)).toBe(5250);
      subject.clock.set('2026-11-20T18:00:00Z');
      expect(await limitOf(subject, key)).toBe(750);
      await change({ plan: 'commercial', status: 'active', graceUntil: null, contract: { daily_quota: 9 } });
      expect(await limitOf(subject, key)).toBe(9);
    });

    test('that is lost holds until the millisecond before midnight UTC, also for a key that is remembered', async () => {
      const there = await openOther();
      const key = await keyOf();
      const { id } = await verify('https://a.example/');
      await verify('https://b.example/');
      const removed = await subject.integrations.remove({ organizationId, id });
      expect(removed.bonusUntil).toEqual(new Date('2026-11-21T00:00:00Z'));
      const limitAt = async (time: string) => {
        subject.clock.set(time);
        const limits = [await limitOf(subject, key), await limitOf(there, key)];
        const usage = await subject.accounts.quota.usage(await callerOf(subject.accounts, key));
        const { terms } = await getOrganization(organizationId, subject.accounts.as(SYSTEM));
        return [...limits, usage.limit, terms.quotaLimit];
      };
      expect(await limitAt('2026-11-20T23:59:58Z')).toEqual([1000, 1000, 1000, 1000]);
      expect(await limitAt('2026-11-20T23:59:59.999Z')).toEqual([1000, 1000, 1000, 1000]);
      expect(await limitAt('2026-11-21T00:00:00Z')).toEqual([750, 750, 750, 750]);
      await there.close();
    });

    test('of yesterday is none for who was admitted before midnight and asks for a unit after it', async () => {
      const org = await subject.organization({ contract: { daily_quota: 10 } });
      const key = await keyOf(org);
      const { id } = await verify('https://a.example/', org);
      await subject.integrations.remove({ organizationId: org, id });
      subject.clock.set('2026-11-20T23:59:59.999Z');
      const caller = await callerOf(subject.accounts, key);
      subject.clock.set('2026-11-21T00:00:00Z');
      const granted = await times(30, async () => (await subject.accounts.quota.reserve(caller)).granted);
      expect(granted.filter(Boolean)).toHaveLength(10);
      expect(await subject.accounts.quota.usage(caller)).toMatchObject({
        limit: 10,
        used: 10,
        quotaDay: '2026-11-21',
      });
    });

    test('of parallel requests in two processes, coming and going: never more than the limit in force', async () => {
      const there = await openOther();
      const org = await subject.organization({ contract: { daily_quota: 10 } });
      const key = await keyOf(org);
      const { id } = await subject.declare(org, 'https://a.example/');
      const callers = [await callerOf(subject.accounts, key), await callerOf(there.accounts, key)] as const;
      const grantedOf = (count: number) =>
        times(count, async (index) => {
          const [side, caller] = index % 2 ? ([there, callers[1]] as const) : ([subject, callers[0]] as const);
          return (await side.accounts.quota.reserve(caller)).granted;
        });
      const wins = (granted: readonly boolean[]) => granted.filter(Boolean).length;
      expect(wins(await grantedOf(40))).toBe(10);
      // Verified while requests are refused and ask again: none of the 250 more is lost, and none is given twice.
      const [during] = await Promise.all([
        grantedOf(100),
        persist(() => subject.integrations.check({ organizationId: org, id })),
      ]);
      const after = wins(during) + wins(await grantedOf(400));
      expect(after).toBe(250);
      await subject.integrations.remove({ organizationId: org, id });
      expect(wins(await grantedOf(20))).toBe(0);
      subject.clock.set('2026-11-21T00:00:00Z');
      expect(wins(await grantedOf(100))).toBe(10);
      await there.close();
    });
  });
}
