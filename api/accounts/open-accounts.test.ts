import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { useSqlite } from '../../test/support/accounts/control-databases.ts';
import { addCustomer, callerOf, subjectAt, TestClock, times } from '../../test/support/accounts/subject.ts';
import { SYSTEM } from './actor.ts';
import { openAccounts } from './open-accounts.ts';
import { createKey } from './organizations/keys.ts';

/** From which limits refuse, where they did not before. */
const INSTANT = new Date('2026-11-21T00:00:00Z');

const another = useSqlite();
let address: string;
const subject = subjectAt(() => address);

beforeAll(async () => {
  address = await another();
});
afterEach(() => subject.closeAll());

describe("an organization's burst limit", () => {
  test('is shared by its keys, and no other organization feels it', async () => {
    const accounts = await subject.open({ clock: new TestClock().now });
    const customer = await addCustomer(accounts);
    const second = await createKey({ organizationId: customer.organizationId, name: 'second' }, accounts.as(SYSTEM));
    const callers = [await customer.caller(), await callerOf(accounts, second.key)] as const;
    const states = await times(61, (index) => accounts.burst.hit(callers[index % 2 === 0 ? 0 : 1]));
    expect(states.filter(({ refused }) => refused)).toHaveLength(1);
    expect(states.at(-1)).toMatchObject({ refused: true, limit: 60, remaining: 0, retryAfterSeconds: 60 });
    const stranger = await (await addCustomer(accounts)).caller();
    expect(await accounts.burst.hit(stranger)).toMatchObject({ refused: false, remaining: 59 });
  });

  test.each([
    ['in measure mode', { enforcement: { mode: 'measure', from: null } }, {}, 0],
    ['before the announced instant', { enforcement: { mode: 'enforce', from: INSTANT } }, {}, 10],
    ['in a grace', {}, { status: 'grace', graceUntil: INSTANT }, 10],
  ] as const)('is counted and refuses nobody %s', async (_, options, subscription, refusedThen) => {
    const clock = new TestClock('2026-11-20T23:58:59Z');
    const accounts = await subject.open({ clock: clock.now, ...options });
    const caller = await (await addCustomer(accounts, subscription)).caller();
    const refusedOf70 = async () => {
      const states = await times(70, () => accounts.burst.hit(caller));
      expect(states.at(-1)).toMatchObject({ limit: 60, remaining: 0 });
      return states.filter(({ refused }) => refused).length;
    };
    expect(await refusedOf70()).toBe(0);
    clock.set(INSTANT.toISOString());
    expect(await refusedOf70(), 'from that instant on').toBe(refusedThen);
  });
});

describe('the backstop', () => {
  const limited = { contract: { burst_per_minute: 5 } };

  test('is per key and route, and refuses in measure mode too', async () => {
    const enforcement = { mode: 'measure', from: null } as const;
    const accounts = await subject.open({ clock: new TestClock().now, enforcement });
    const customer = await addCustomer(accounts, limited);
    const second = await createKey({ organizationId: customer.organizationId, name: 'second' }, accounts.as(SYSTEM));
    const caller = await customer.caller();
    const states = await times(31, () => accounts.backstop.hit(caller, { route: '/v1/updates', limit: 30 }));
    expect(states.map(({ refused }) => refused)).toEqual([...Array(30).fill(false), true]);
    expect(await accounts.backstop.hit(caller, { route: '/v1/snapshots', limit: 30 })).toMatchObject({
      refused: false,
      remaining: 29,
    });
    const other = await callerOf(accounts, second.key);
    expect(await accounts.backstop.hit(other, { route: '/v1/updates', limit: 30 })).toMatchObject({ refused: false });
    expect(await accounts.burst.hit(caller)).toMatchObject({ remaining: 4 });
  });

  test.each([
    ['community', 60, 30, 60],
    ['community', 60, 120, 120],
    ['builder', 300, 120, 300],
    ['commercial', 600, 60, 600],
  ] as const)(
    "on %s with %i a minute a route's %i becomes %i: never less than what was bought",
    async (plan, burst, number, limit) => {
      const accounts = await subject.open({ clock: new TestClock().now });
      const caller = await (await addCustomer(accounts, { plan })).caller();
      expect(caller.terms.burstPerMinute).toBe(burst);
      const states = await times(limit + 1, () =>
        accounts.backstop.hit(caller, { route: '/v1/updates', limit: number }),
      );
      expect(states.filter(({ refused }) => refused)).toMatchObject([{ limit, scope: 'route' }]);
    },
  );
});

test.each(['mysql://a/b', 'sqlite:', 'sqlite:~/x.db', 'accounts.db', ''])(
  '%j is not the address of a database',
  async (url) => {
    await expect(openAccounts(url)).rejects.toMatchObject({ code: 'configuration' });
  },
);

test('an address of Redis that is none is refused, without showing it', async () => {
  const opening = subject.open({ redis: 'redis://user:secret@[/0' });
  await expect(opening).rejects.toMatchObject({
    code: 'configuration',
    message: expect.not.stringContaining('secret'),
  });
});
