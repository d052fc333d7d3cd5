import { describe, expect, test } from 'vitest';
import { addCustomer, type Subject, TestClock, times } from './subject.ts';

export function describeQuotaDays(subject: Subject): void {
  describe('the quota over days', () => {
    test.each([
      ['2026-11-20T23:59:59.999Z', '2026-11-21T00:00:00.000Z', '2026-11-21'],
      ['2026-11-30T23:59:59.999Z', '2026-12-01T00:00:00.000Z', '2026-12-01'],
      ['2024-02-28T23:59:59.999Z', '2024-02-29T00:00:00.000Z', '2024-02-29'],
      ['2024-02-29T23:59:59.999Z', '2024-03-01T00:00:00.000Z', '2024-03-01'],
      ['2026-12-31T23:59:59.999Z', '2027-01-01T00:00:00.000Z', '2027-01-01'],
    ])('is full again from %s to %s', async (before, after, day) => {
      const clock = new TestClock(before);
      const accounts = await subject.open({ clock: clock.now });
      const customer = await addCustomer(accounts, { contract: { daily_quota: 1 } });
      expect((await accounts.quota.reserve(await customer.caller())).granted).toBe(true);
      expect((await accounts.quota.reserve(await customer.caller())).granted).toBe(false);
      clock.set(after);
      const usage = { quotaDay: day, used: 1, resetAt: Date.parse(after) / 1000 + 86_400 };
      expect(await accounts.quota.reserve(await customer.caller())).toMatchObject({ granted: true, usage });
    });

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
