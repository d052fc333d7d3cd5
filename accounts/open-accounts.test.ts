import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { BACKSTOP_PER_MINUTE } from '../schemas/route-limits.ts';
import { openAccounts } from './open-accounts.ts';
import { addCustomer, callerOf, subjectAt, TestClock, times } from './testing/subject.ts';

let folder: string;
const subject = subjectAt(() => `sqlite:${join(folder, 'accounts.db')}`);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'modelstats-open-accounts-'));
});
afterEach(() => subject.closeAll());
afterAll(() => rm(folder, { recursive: true }));

describe("an organization's burst limit", () => {
  test('is shared by its keys, and no other organization feels it', async () => {
    const accounts = await subject.open({ clock: new TestClock().now });
    const customer = await addCustomer(accounts);
    const second = await accounts.administration.createKey(customer.organizationId, 'second');
    const callers = [await customer.caller(), await callerOf(accounts, second.key)] as const;
    const states = await times(61, (index) => accounts.burst.hit(callers[index % 2 === 0 ? 0 : 1]));
    expect(states.filter(({ refused }) => refused)).toHaveLength(1);
    expect(states.at(-1)).toMatchObject({ refused: true, limit: 60, remaining: 0, retryAfterSeconds: 60 });
    const stranger = await (await addCustomer(accounts)).caller();
    expect(await accounts.burst.hit(stranger)).toMatchObject({ refused: false, remaining: 59 });
  });

  test.each([
    ['in measure mode', { enforcement: { mode: 'measure', from: null } }, {}],
    ['in a grace', {}, { status: 'grace', graceUntil: new Date('2026-11-21T00:00:00Z') }],
  ] as const)('is counted and refuses nobody %s', async (_, options, subscription) => {
    const accounts = await subject.open({ clock: new TestClock('2026-11-20T12:00:00Z').now, ...options });
    const caller = await (await addCustomer(accounts, subscription)).caller();
    const states = await times(70, () => accounts.burst.hit(caller));
    expect(states.some(({ refused }) => refused)).toBe(false);
    expect(states.at(-1)).toMatchObject({ limit: 60, remaining: 0 });
  });
});

describe('the backstop', () => {
  test('is per key and route, and refuses in measure mode too', async () => {
    const enforcement = { mode: 'measure', from: null } as const;
    const accounts = await subject.open({ clock: new TestClock().now, enforcement });
    const customer = await addCustomer(accounts);
    const second = await accounts.administration.createKey(customer.organizationId, 'second');
    const caller = await customer.caller();
    const states = await times(31, () => accounts.backstop.hit(caller, '/v1/updates'));
    expect(states.map(({ refused }) => refused)).toEqual([...Array(30).fill(false), true]);
    expect(await accounts.backstop.hit(caller, '/v1/snapshots')).toMatchObject({ refused: false, remaining: 29 });
    const other = await callerOf(accounts, second.key);
    expect(await accounts.backstop.hit(other, '/v1/updates')).toMatchObject({ refused: false });
    expect(await accounts.burst.hit(caller)).toMatchObject({ remaining: 59 });
  });

  test('follows the configured limits', async () => {
    const accounts = await subject.open({ backstop: { ...BACKSTOP_PER_MINUTE, '/v1/models': 2 } });
    const caller = await (await addCustomer(accounts)).caller();
    const states = await times(3, () => accounts.backstop.hit(caller, '/v1/models'));
    expect(states.map(({ refused }) => refused)).toEqual([false, false, true]);
  });
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
