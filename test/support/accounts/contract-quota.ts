import { describe, expect, test } from 'vitest';
import type { Accounts } from '../../../accounts/accounts.ts';
import type { Caller } from '../../../accounts/caller.ts';
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
      const customer = await withQuota(here, 50);
      const callers = [await customer.caller(here), await customer.caller(there)] as const;
      const granted = await times(2, (index) =>
        grantedOf(index === 0 ? here : there, callers[index === 0 ? 0 : 1], 100),
      );
      expect(granted.reduce((sum, won) => sum + won, 0)).toBe(50);
      expect(await here.quota.usage(callers[0])).toMatchObject({ used: 50 });
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
      const second = await accounts.administration.createKey(one.organizationId, 'second');
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
      const { subscription } = await there.administration.getOrganization(customer.organizationId);
      await there.administration.changePlan(customer.organizationId, () => ({
        ...subscription,
        plan: 'builder',
        contract: {},
      }));
      expect(await here.quota.reserve(caller)).toMatchObject({ granted: true, usage: { used: 2, limit: 5000 } });
    });
  });
}
