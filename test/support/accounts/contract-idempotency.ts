import { describe, expect, test } from 'vitest';
import { SYSTEM } from '../../../api/accounts/actor.ts';
import type { Caller } from '../../../api/accounts/caller.ts';
import type { Reservation } from '../../../api/accounts/limits/quota.ts';
import type { Accounts } from '../../../api/accounts/open-accounts.ts';
import { createKey } from '../../../api/accounts/organizations/keys.ts';
import { addCustomer, callerOf, type Subject, times } from './subject.ts';

/** A hash of an effective request, as long as one may be. */
const REQUEST = 'f'.repeat(64);

async function reserve(
  accounts: Accounts,
  caller: Caller,
  idempotencyKey: string,
  request = REQUEST,
): Promise<Reservation> {
  const result = await accounts.quota.reserve(caller, { idempotencyKey, request });
  if (!result.granted) throw new Error('refused');
  return result.reservation;
}

export function describeIdempotency(subject: Subject): void {
  async function start(daily_quota = 10) {
    const accounts = await subject.open();
    const customer = await addCustomer(accounts, { contract: { daily_quota } });
    return { accounts, customer, caller: await customer.caller() };
  }

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
      for (const request of ['one', 'two', 'one'])
        expect((await accounts.quota.reserve(caller, { idempotencyKey: 'a', request })).granted).toBe(true);
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
      const results = await times(120, (index) =>
        accounts.quota.reserve(
          caller,
          index % 3 === 0 ? { idempotencyKey: `${index % 10}`, request: REQUEST } : undefined,
        ),
      );
      const granted = results.filter((result) => result.granted);
      const keys = new Set(
        granted.map(({ reservation }) => reservation.idempotency?.key).filter((key) => key !== undefined),
      );
      const without = granted.filter(({ reservation }) => reservation.idempotency === undefined);
      expect(keys.size + without.length).toBe(20);
      expect(await accounts.quota.usage(caller)).toMatchObject({ used: 20 });
    });
  });
}
