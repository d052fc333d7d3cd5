import { describe, expect, test } from 'vitest';
import { SYSTEM } from '../../../api/accounts/actor.ts';
import type { Caller } from '../../../api/accounts/caller.ts';
import type { Reservation } from '../../../api/accounts/limits/quota.ts';
import type { Accounts } from '../../../api/accounts/open-accounts.ts';
import { createKey } from '../../../api/accounts/organizations/keys.ts';
import { changePlan } from '../../../api/accounts/organizations/organizations.ts';
import type { Subscription } from '../../../api/accounts/organizations/terms.ts';
import { addCustomer, callerOf, type Subject, TestClock, times } from './subject.ts';

/** A hash of an effective request, as long as one may be. */
const REQUEST = 'f'.repeat(64);

/** A unit that has to be granted, for an Idempotency-Key where one is given. */
async function reserve(
  { quota }: Accounts,
  caller: Caller,
  idempotencyKey?: string,
  request = REQUEST,
): Promise<Reservation> {
  const result = await quota.reserve(caller, idempotencyKey === undefined ? undefined : { idempotencyKey, request });
  return result.granted ? result.reservation : expect.fail('refused');
}

export function describeQuota(subject: Subject): void {
  const withQuota = (accounts: Accounts, daily_quota: number | null) =>
    addCustomer(accounts, { contract: { daily_quota } });

  async function grantedOf(accounts: Accounts, caller: Caller, count: number): Promise<number> {
    return (await times(count, () => accounts.quota.reserve(caller))).filter(({ granted }) => granted).length;
  }

  async function start(daily_quota = 10) {
    const accounts = await subject.open();
    const customer = await withQuota(accounts, daily_quota);
    return { accounts, customer, caller: await customer.caller() };
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
      const [won, wonThere] = await Promise.all([grantedOf(here, callers[0], 100), grantedOf(there, callers[1], 100)]);
      expect(won + wonThere).toBe(50);
      expect(await here.quota.usage(callers[0])).toMatchObject({ used: 60, remaining: 0 });
    });

    test('a released unit is free again; released twice, or after being settled, it is given back once at most', async () => {
      const { accounts, caller } = await start(1);
      const first = await reserve(accounts, caller);
      expect(await accounts.quota.release(first)).toMatchObject({ used: 0, remaining: 1 });
      const second = await reserve(accounts, caller);
      expect(await accounts.quota.release(first)).toMatchObject({ used: 1 });
      accounts.quota.settle(second);
      expect(await accounts.quota.release(second)).toMatchObject({ used: 1, remaining: 0 });
    });

    test('in measure mode, before the announced instant and in a grace everything is counted and nothing refused', async () => {
      const instant = new Date('2026-12-01T00:00:00Z');
      for (const [enforcement, subscription, grantedThen] of [
        [{ mode: 'measure', from: null }, {}, 8],
        [{ mode: 'enforce', from: instant }, {}, 5],
        [{ mode: 'enforce', from: null }, { status: 'grace', graceUntil: instant }, 5],
      ] as const) {
        const clock = new TestClock('2026-11-30T23:59:59.999Z');
        const accounts = await subject.open({ clock: clock.now, enforcement });
        const caller = await (await addCustomer(accounts, { ...subscription, contract: { daily_quota: 5 } })).caller();
        expect(await grantedOf(accounts, caller, 8)).toBe(8);
        expect(await accounts.quota.usage(caller)).toMatchObject({ used: 8, limit: 5, remaining: 0 });
        clock.set(instant.toISOString());
        expect(await grantedOf(accounts, caller, 8), 'from that instant on').toBe(grantedThen);
      }
    });

    test('organizations have pools of their own, keys of one organization share theirs', async () => {
      const accounts = await subject.open();
      const [one, other] = [await withQuota(accounts, 2), await withQuota(accounts, 2)];
      const { key } = await createKey({ organizationId: one.organizationId, name: 'second' }, accounts.as(SYSTEM));
      for (const caller of [await one.caller(), await callerOf(accounts, key)]) await reserve(accounts, caller);
      expect(await accounts.quota.reserve(await one.caller())).toMatchObject({ granted: false });
      await reserve(accounts, await other.caller());
    });

    test('an upgrade by another process lifts the limit from the next request on', async () => {
      const [here, there] = [await subject.open(), await subject.open()];
      const customer = await withQuota(here, 1);
      const caller = await customer.caller();
      expect(await grantedOf(here, caller, 2)).toBe(1);
      const upgrade = (before: Subscription): Subscription => ({ ...before, plan: 'builder', contract: {} });
      await changePlan(customer.organizationId, upgrade, there.as(SYSTEM));
      expect(await here.quota.reserve(caller)).toMatchObject({ granted: true, usage: { used: 2, limit: 5000 } });
    });
  });

  describe('the quota over days', () => {
    test('a unit of before midnight goes back to its own day', async () => {
      const clock = new TestClock('2026-11-20T23:59:59Z');
      const accounts = await subject.open({ clock: clock.now });
      const caller = await (await addCustomer(accounts)).caller();
      const late = await reserve(accounts, caller);
      clock.set('2026-11-21T00:00:01Z');
      await reserve(accounts, caller);
      expect(await accounts.quota.release(late)).toMatchObject({ quotaDay: '2026-11-20', used: 0 });
      expect(await accounts.quota.usage(caller)).toMatchObject({ quotaDay: '2026-11-21', used: 1 });
    });

    test('a clock that is set back over midnight counts on the day it tells, and neither day loses or gains a unit', async () => {
      const clock = new TestClock('2026-11-20T23:59:00Z');
      const accounts = await subject.open({ clock: clock.now });
      const caller = await (await addCustomer(accounts)).caller();
      await times(3, () => accounts.quota.reserve(caller));
      clock.set('2026-11-21T00:10:00Z');
      const late = await reserve(accounts, caller);
      clock.set('2026-11-20T23:30:00Z');
      expect(await accounts.quota.reserve(caller)).toMatchObject({ usage: { quotaDay: '2026-11-20', used: 4 } });
      expect(await accounts.quota.release(late)).toMatchObject({ quotaDay: '2026-11-21', used: 0 });
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
        await times(10, (index) => reserve(accounts, caller, `${index}`));
      }
      clock.set('2026-11-21T00:00:00Z');
      await accounts.quota.reserve(caller);
      clock.set('2026-11-18T13:00:00Z');
      await expect.poll(() => accounts.quota.usage(caller)).toMatchObject({ used: 0 });
      // Of each day what is used, and what after a request whose key was used on it.
      const used: number[][] = [];
      for (const day of ['2026-11-18', '2026-11-19', '2026-11-20', '2026-11-21']) {
        clock.set(`${day}T13:00:00Z`);
        const before = await accounts.quota.usage(caller);
        const again = await accounts.quota.reserve(caller, { idempotencyKey: '0', request: REQUEST });
        used.push([before.used, again.usage.used]);
      }
      expect(used).toEqual([
        [0, 1],
        [10, 11],
        [10, 10],
        [1, 2],
      ]);
    });
  });

  describe('an Idempotency-Key', () => {
    test('reserves one unit for 50 parallel requests, through two openings of the database', async () => {
      const { accounts, customer, caller } = await start();
      const other = await subject.open();
      const there = await customer.caller(other);
      await times(50, (index) => (index % 2 ? reserve(accounts, caller, 'a') : reserve(other, there, 'a')));
      expect(await accounts.quota.usage(caller)).toMatchObject({ used: 1 });
    });

    test('on another request takes a unit of its own, and on the same one passes with nothing left', async () => {
      const { accounts, caller } = await start(2);
      await reserve(accounts, caller, 'a', 'one');
      await reserve(accounts, caller, 'a', 'two');
      expect(await accounts.quota.usage(caller)).toMatchObject({ used: 2, remaining: 0 });
      const third = await accounts.quota.reserve(caller, { idempotencyKey: 'a', request: 'three' });
      expect(third).toMatchObject({ granted: false });
      for (const request of ['one', 'two', 'one']) await reserve(accounts, caller, 'a', request);
      expect(await accounts.quota.usage(caller)).toMatchObject({ used: 2 });
    });

    test('needs a hash of at most 64 characters', async () => {
      const { accounts, caller } = await start();
      for (const request of ['', 'f'.repeat(65)])
        await expect(accounts.quota.reserve(caller, { idempotencyKey: 'a', request })).rejects.toThrow(RangeError);
    });

    test('that was refused holds nothing', async () => {
      const { accounts, caller } = await start(0);
      for (let attempt = 0; attempt < 3; attempt += 1)
        expect((await accounts.quota.reserve(caller, { idempotencyKey: 'a', request: REQUEST })).granted).toBe(false);
      expect(await accounts.quota.usage(caller)).toMatchObject({ used: 0 });
    });

    test('whose request was released holds no unit any more', async () => {
      const { accounts, caller } = await start(1);
      const first = await reserve(accounts, caller, 'a');
      expect(await accounts.quota.release(first)).toMatchObject({ used: 0 });
      await reserve(accounts, caller, 'b');
      expect((await accounts.quota.reserve(caller, { idempotencyKey: 'a', request: REQUEST })).granted).toBe(false);
    });

    test('keeps its unit while one of its requests was not released, whichever came first', async () => {
      const { accounts, caller } = await start();
      const [first, second, third] = await times(3, () => reserve(accounts, caller, 'a'));
      if (!(first && second && third)) throw new Error('too few');
      expect(await accounts.quota.release(first)).toMatchObject({ used: 1 });
      accounts.quota.settle(second);
      expect(await accounts.quota.release(third)).toMatchObject({ used: 1 });
      expect(await accounts.quota.release(second)).toMatchObject({ used: 1 });
    });

    test('gives its unit back once when all its requests are released at once', async () => {
      const { accounts, caller } = await start();
      await accounts.quota.reserve(caller);
      const held = await times(20, () => reserve(accounts, caller, 'a'));
      await Promise.all(held.map((reservation) => accounts.quota.release(reservation)));
      expect(await accounts.quota.usage(caller)).toMatchObject({ used: 1 });
    });

    test('of one API key is not that of another, nor of another organization', async () => {
      const { accounts, customer, caller } = await start();
      const { key } = await createKey({ organizationId: customer.organizationId, name: 'second' }, accounts.as(SYSTEM));
      await reserve(accounts, caller, 'a');
      await reserve(accounts, await callerOf(accounts, key), 'a');
      expect(await accounts.quota.usage(caller)).toMatchObject({ used: 2 });
      const stranger = await (await addCustomer(accounts)).caller();
      await reserve(accounts, stranger, 'a');
      expect(await accounts.quota.usage(stranger)).toMatchObject({ used: 1 });
    });

    test('is told apart by every character', async () => {
      const { accounts, caller } = await start();
      for (const key of ['a', 'A', 'a ', ' a', 'ä', "a'", '%', 'a'.repeat(128)]) await reserve(accounts, caller, key);
      expect(await accounts.quota.usage(caller)).toMatchObject({ used: 8 });
    });

    test('among requests without one, exactly the units there are get granted', async () => {
      const { accounts, caller } = await start(20);
      const results = await times(120, (index) => {
        const key = { idempotencyKey: `${index % 10}`, request: REQUEST };
        return accounts.quota.reserve(caller, index % 3 === 0 ? key : undefined);
      });
      const granted = results.filter((result) => result.granted);
      // A unit for each key, and for each request without one.
      const units = granted.map(({ reservation }, index) => reservation.idempotency?.key ?? `without ${index}`);
      expect(new Set(units).size).toBe(20);
      expect(await accounts.quota.usage(caller)).toMatchObject({ used: 20 });
    });
  });
}
