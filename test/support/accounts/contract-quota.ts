import { describe, expect, test } from 'vitest';
import { SYSTEM } from '../../../api/accounts/actor.ts';
import type { Caller } from '../../../api/accounts/caller.ts';
import type { Accounts } from '../../../api/accounts/open-accounts.ts';
import { createKey } from '../../../api/accounts/organizations/keys.ts';
import { changePlan, getOrganization } from '../../../api/accounts/organizations/organizations.ts';
import { addCustomer, type Subject, TestClock, times } from './subject.ts';

export function describeQuota(subject: Subject): void {
  const withQuota = (accounts: Accounts, daily_quota: number | null) =>
    addCustomer(accounts, { contract: { daily_quota } });

  async function grantedOf(accounts: Accounts, caller: Caller, count: number): Promise<number> {
    return (await times(count, () => accounts.quota.reserve(caller))).filter(({ granted }) => granted).length;
  }

  describe('the daily quota', () => {
    test('counts a reservation and says what is left', async () => {
      const accounts = await subject.open({ clock: new TestClock('2026-11-20T12:00:00Z').now });
      const caller = await (await withQuota(accounts, 3)).caller();
      const usage = { quotaDay: '2026-11-20', limit: 3, resetAt: Date.parse('2026-11-21T00:00:00Z') / 1000 };
      expect(await accounts.quota.usage(caller)).toEqual({ ...usage, used: 0, remaining: 3 });
      const first = await accounts.quota.reserve(caller);
      expect(first).toMatchObject({ granted: true, usage: { ...usage, used: 1, remaining: 2 } });
      expect(await accounts.quota.usage(caller)).toEqual({ ...usage, used: 1, remaining: 2 });
    });

    test('of 200 parallel requests through two openings of the database exactly 50 win', async () => {
      const [here, there] = [await subject.open(), await subject.open()];
      const customer = await withQuota(here, 60);
      const callers = [await customer.caller(here), await customer.caller(there)] as const;
      expect(await grantedOf(here, callers[0], 10)).toBe(10);
      const granted = await times(2, (index) =>
        grantedOf(index === 0 ? here : there, callers[index === 0 ? 0 : 1], 100),
      );
      expect(granted.reduce((sum, won) => sum + won, 0)).toBe(50);
      expect(await here.quota.usage(callers[0])).toMatchObject({ used: 60, remaining: 0 });
    });

    test('a released unit is free again; released twice, or after being settled, it is given back once at most', async () => {
      const accounts = await subject.open();
      const caller = await (await withQuota(accounts, 1)).caller();
      const first = await accounts.quota.reserve(caller);
      if (!first.granted) throw new Error('refused');
      expect(await accounts.quota.release(first.reservation)).toMatchObject({ used: 0, remaining: 1 });
      const second = await accounts.quota.reserve(caller);
      if (!second.granted) throw new Error('refused');
      expect(await accounts.quota.release(first.reservation)).toMatchObject({ used: 1 });
      accounts.quota.settle(second.reservation);
      expect(await accounts.quota.release(second.reservation)).toMatchObject({ used: 1, remaining: 0 });
    });

    test('in measure mode, and before the announced date, everything is counted and nothing refused', async () => {
      const clock = new TestClock('2026-11-20T12:00:00Z');
      for (const enforcement of [
        { mode: 'measure', from: null },
        { mode: 'enforce', from: new Date('2026-12-01T00:00:00Z') },
      ] as const) {
        const accounts = await subject.open({ clock: clock.now, enforcement });
        const caller = await (await withQuota(accounts, 5)).caller();
        expect(await grantedOf(accounts, caller, 8)).toBe(8);
        expect(await accounts.quota.usage(caller)).toMatchObject({ used: 8, limit: 5, remaining: 0 });
      }
    });

    test('organizations have pools of their own, keys of one organization share theirs', async () => {
      const accounts = await subject.open();
      const [one, other] = [await withQuota(accounts, 2), await withQuota(accounts, 2)];
      const second = await createKey({ organizationId: one.organizationId, name: 'second' }, accounts.as(SYSTEM));
      const callers = [await one.caller(), await accounts.authenticate(second.key), await one.caller()];
      const results: boolean[] = [];
      for (const caller of callers) if (caller) results.push((await accounts.quota.reserve(caller)).granted);
      expect(results).toEqual([true, true, false]);
      expect((await accounts.quota.reserve(await other.caller())).granted).toBe(true);
    });

    test('an upgrade by another process lifts the limit from the next request on', async () => {
      const [here, there] = [await subject.open(), await subject.open()];
      const customer = await withQuota(here, 1);
      const caller = await customer.caller();
      expect(await grantedOf(here, caller, 2)).toBe(1);
      const { subscription } = await getOrganization(customer.organizationId, there.as(SYSTEM));
      await changePlan(
        customer.organizationId,
        () => ({
          ...subscription,
          plan: 'builder',
          contract: {},
        }),
        there.as(SYSTEM),
      );
      expect(await here.quota.reserve(caller)).toMatchObject({ granted: true, usage: { used: 2, limit: 5000 } });
    });
  });

  describe('the quota over days', () => {
    test('a unit of before midnight goes back to its own day', async () => {
      const clock = new TestClock('2026-11-20T23:59:59Z');
      const accounts = await subject.open({ clock: clock.now });
      const caller = await (await addCustomer(accounts)).caller();
      const late = await accounts.quota.reserve(caller);
      clock.set('2026-11-21T00:00:01Z');
      await accounts.quota.reserve(caller);
      if (!late.granted) throw new Error('refused');
      expect(await accounts.quota.release(late.reservation)).toMatchObject({ quotaDay: '2026-11-20', used: 0 });
      expect(await accounts.quota.usage(caller)).toMatchObject({ quotaDay: '2026-11-21', used: 1 });
    });

    test('a clock that is set back over midnight counts on the day it tells, and neither day loses or gains a unit', async () => {
      const clock = new TestClock('2026-11-20T23:59:00Z');
      const accounts = await subject.open({ clock: clock.now });
      const caller = await (await addCustomer(accounts)).caller();
      await times(3, () => accounts.quota.reserve(caller));
      clock.set('2026-11-21T00:10:00Z');
      const late = await accounts.quota.reserve(caller);
      clock.set('2026-11-20T23:30:00Z');
      expect(await accounts.quota.reserve(caller)).toMatchObject({ usage: { quotaDay: '2026-11-20', used: 4 } });
      if (!late.granted) throw new Error('refused');
      expect(await accounts.quota.release(late.reservation)).toMatchObject({ quotaDay: '2026-11-21', used: 0 });
      clock.set('2026-11-21T00:10:00Z');
      expect(await accounts.quota.reserve(caller)).toMatchObject({ usage: { quotaDay: '2026-11-21', used: 1 } });
    });

    test('old usage and Idempotency-Keys are removed, those of today and yesterday stay', async () => {
      const clock = new TestClock('2026-11-18T12:00:00Z');
      const cleanup = { usageDays: 2, rowsAtOnce: 3 };
      const accounts = await subject.open({ clock: clock.now, cleanup });
      const caller = await (await addCustomer(accounts)).caller();
      for (const day of ['2026-11-18', '2026-11-19', '2026-11-20']) {
        clock.set(`${day}T12:00:00Z`);
        await times(10, (index) => accounts.quota.reserve(caller, { idempotencyKey: `${index}`, request: 'r' }));
      }
      clock.set('2026-11-21T00:00:00Z');
      await accounts.quota.reserve(caller);
      clock.set('2026-11-18T13:00:00Z');
      await expect.poll(() => accounts.quota.usage(caller)).toMatchObject({ used: 0 });
      const used: number[] = [];
      const held: boolean[] = [];
      for (const day of ['2026-11-18', '2026-11-19', '2026-11-20', '2026-11-21']) {
        clock.set(`${day}T13:00:00Z`);
        const before = await accounts.quota.usage(caller);
        used.push(before.used);
        const again = await accounts.quota.reserve(caller, { idempotencyKey: '0', request: 'r' });
        held.push(again.usage.used === before.used);
      }
      expect({ used, held }).toEqual({ used: [0, 10, 10, 1], held: [false, false, true, false] });
    });
  });
}
