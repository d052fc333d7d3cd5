import { describe, expect, test } from 'vitest';
import type { Customer } from '../../../test/support/accounts/subject.ts';
import { useApi } from '../../../test/support/api/use-api.ts';
import { SAMPLE_DAYS } from '../../../test/support/pipeline/sample-store.ts';
import { publishSmallDays, SMALL_DAYS, TODAY } from '../../../test/worlds/small-days.ts';
import { SYSTEM } from '../../accounts/actor.ts';
import { changePlan } from '../../accounts/organizations/organizations.ts';
import { NO_SUBSCRIPTION } from '../../accounts/organizations/terms.ts';

const api = useApi({ days: SAMPLE_DAYS, accounts: {} });

const newCustomer = () => api.accounts.add({ plan: 'commercial', contract: { burst_per_minute: 10_000 } });

function ask(customer: Customer, url: string, key: string) {
  return api.ask(customer, url, { headers: { 'idempotency-key': key } });
}

describe('Idempotency-Key', () => {
  test('the same request again with the same key reserves one unit, however it is written, and another one its own', async () => {
    const customer = await newCustomer();
    for (const url of ['/v1/models', '/v1/models', '/v1/models?limit=50', '/v1/models?sort=id'])
      expect((await ask(customer, url, 'a')).headers['x-quota-used'], url).toBe('1');
    for (const [url, key, used] of [
      ['/v1/models', 'b', '2'],
      ['/v1/models?limit=1', 'a', '3'],
    ] as const)
      expect((await ask(customer, url, key)).headers['x-quota-used'], url).toBe(used);
  });

  test('a key is scoped to one UTC day', async () => {
    const customer = await newCustomer();
    api.clock.set('2026-06-30T23:59:59.999Z');
    await ask(customer, '/v1/models', 'a');
    api.clock.set('2026-07-01T00:00:00Z');
    expect((await ask(customer, '/v1/models', 'a')).headers['x-quota-used']).toBe('1');
    expect((await ask(customer, '/v1/models', 'a')).headers['x-quota-used']).toBe('1');
  });

  test('it changes neither the burst counter nor the body', async () => {
    const customer = await newCustomer();
    const plain = await api.ask(customer, '/v1/models');
    const [first, second] = [await ask(customer, '/v1/models', 'a'), await ask(customer, '/v1/models', 'a')];
    expect([first.body, second.body]).toEqual([plain.body, plain.body]);
    const remaining = [plain, first, second].map(({ headers }) => Number(headers['x-ratelimit-remaining']));
    expect(remaining).toEqual([9_999, 9_998, 9_997]);
  });

  test('up to 128 characters are taken; none or more are 422 with the header named, together with other problems', async () => {
    const customer = await newCustomer();
    expect((await ask(customer, '/v1/models', 'k'.repeat(128))).statusCode).toBe(200);
    const tooLong = await ask(customer, '/v1/models?limit=0', 'k'.repeat(129));
    expect(tooLong.statusCode).toBe(422);
    expect(tooLong.json().detail).toEqual([
      expect.objectContaining({ loc: ['query', 'limit'] }),
      expect.objectContaining({
        loc: ['header', 'Idempotency-Key'],
        type: 'string_too_long',
        ctx: { max_length: 128 },
      }),
    ]);
    const empty = await ask(customer, '/v1/models', '');
    expect(empty.json().detail).toMatchObject([{ loc: ['header', 'Idempotency-Key'], type: 'string_too_short' }]);
    expect((await api.accountOf(customer)).usage.used).toBe(1);
  });
});

describe('a retry after a publication', () => {
  const [FIRST = '', SECOND = '', THIRD = ''] = Object.keys(SMALL_DAYS);
  const its = useApi({
    days: (store) => publishSmallDays(store, [FIRST, SECOND]),
    now: `${TODAY}T12:00:00Z`,
    accounts: {},
  });
  const headers = { 'idempotency-key': 'a' };
  const PATHS = [
    '/v1/snapshots',
    `/v1/snapshots/${SECOND}/download?dataset=models`,
    '/v1/changes',
    '/v1/changes?entity_type=score',
    '/v1/models?limit=1',
    '/v1/updates',
    '/v1/models/a/history?kind=score',
    '/v1/rankings/history?category_id=general',
  ];

  test('costs no second unit, whatever was published or pruned in between, and tells of it', async () => {
    const customer = await its.accounts.add({ plan: 'commercial', contract: { burst_per_minute: 10_000 } });
    const usedAfterAll = async () => {
      for (const path of PATHS) {
        const { statusCode } = await its.ask(customer, path, { headers });
        expect(statusCode, path).toBe(200);
      }
      return (await its.accountOf(customer)).usage.used;
    };
    expect(await usedAfterAll()).toBe(PATHS.length);
    await publishSmallDays(its.store, [THIRD]);
    await its.follower.refresh();
    expect(await usedAfterAll()).toBe(PATHS.length);
    await its.store.prune({ changesMonths: 0, snapshots: 90, states: 7 });
    await its.follower.refresh();
    expect(await usedAfterAll()).toBe(PATHS.length);
    const { snapshots } = (await its.ask(customer, '/v1/snapshots', { headers })).json();
    expect(snapshots.map(({ id }: { id: string }) => id)).toEqual([THIRD, SECOND, FIRST]);
    expect((await its.ask(customer, '/v1/changes', { headers })).json()).toMatchObject({ retained_from: THIRD });
  });

  test('is another request once the plan shows other snapshots', async () => {
    const customer = await its.accounts.add({ plan: 'builder' });
    const used = async () => (await its.ask(customer, '/v1/snapshots', { headers })).headers['x-quota-used'];
    expect([await used(), await used()]).toEqual(['1', '1']);
    const changes = its.accounts.accounts.as(SYSTEM);
    await changePlan(customer.organizationId, () => ({ ...NO_SUBSCRIPTION, plan: 'commercial' }), changes);
    expect([await used(), await used()]).toEqual(['2', '2']);
  });
});
