import { describe, expect, test } from 'vitest';
import { useApi } from '../../../test/support/api/use-api.ts';
import { MODEL, SAMPLE_DAYS } from '../../../test/support/pipeline/sample-store.ts';
import { PLAN_NAMES, type PlanName } from '../../accounts/organizations/plans.ts';

const api = useApi({ days: SAMPLE_DAYS, accounts: {} });

/** What each plan's customer gets, in the order community, builder, commercial. */
function ofPlans<T>(work: (plan: PlanName) => Promise<T>): Promise<T[]> {
  return Promise.all(PLAN_NAMES.map(work));
}

function ask(plan: PlanName, url: string) {
  return api.ask(api.accounts.customers[plan], url);
}

async function planOf(plan: PlanName) {
  return (await api.accountOf(api.accounts.customers[plan])).plan;
}

async function listedBy(key: string): Promise<string[]> {
  const response = await api.get('/v1/snapshots', { authorization: `Bearer ${key}` });
  return response.json().snapshots.map(({ id }: { id: string }) => id);
}

describe('Plan table', () => {
  test('daily quota: 500, 5,000, contract-specific (unlimited where it is silent)', async () => {
    expect(await ofPlans(async (plan) => (await planOf(plan)).daily_quota)).toEqual([500, 5000, null]);
    const limits = await ofPlans(async (plan) => (await ask(plan, '/v1/models')).headers['x-quota-limit']);
    expect(limits).toEqual(['500', '5000', 'unlimited']);
    const contract = await api.accounts.add({ plan: 'commercial', contract: { daily_quota: 70_000 } });
    expect((await api.ask(contract, '/v1/models')).headers['x-quota-remaining']).toBe('69999');
  });

  test('burst: 60, 300, 600 a minute, or as contracted', async () => {
    expect(await ofPlans(async (plan) => (await planOf(plan)).burst_per_minute)).toEqual([60, 300, 600]);
    const limits = await ofPlans(async (plan) => (await ask(plan, '/v1/models')).headers['x-ratelimit-limit']);
    expect(limits).toEqual(['60', '300', '600']);
    const contract = await api.accounts.add({ plan: 'commercial', contract: { burst_per_minute: 1_200 } });
    expect((await api.ask(contract, '/v1/models')).headers['x-ratelimit-limit']).toBe('1200');
  });

  test('history window: 6 months, 12 months, full, or as contracted', async () => {
    expect(await ofPlans(async (plan) => (await planOf(plan)).history_months)).toEqual([6, 12, 1200]);
    const windowOf = async (key: string) => {
      const url = `/v1/models/${MODEL}/history?kind=pricing`;
      return (await api.get(url, { authorization: `Bearer ${key}` })).json().window.plan_limit_from;
    };
    const limits = await ofPlans((plan) => windowOf(api.accounts.customers[plan].key));
    expect(limits).toEqual(['2025-12-30', '2025-06-30', null]);
    const contract = await api.accounts.add({ plan: 'commercial', contract: { history_months: 24 } });
    expect(await windowOf(contract.key)).toBe('2024-06-30');
  });

  test('bulk snapshots: none, latest only, per contract', async () => {
    const { community, builder, commercial } = api.accounts.customers;
    expect((await api.ask(community, '/v1/snapshots')).json().error).toMatchObject({
      code: 'feature_not_in_plan',
      plan: 'community',
    });
    expect(await listedBy(builder.key)).toEqual(['2026-06-03']);
    expect(await listedBy(commercial.key)).toEqual(SAMPLE_DAYS.toReversed());
    const contract = { snapshots_newest: 2, snapshots_month_ends: false };
    expect(await listedBy((await api.accounts.add({ plan: 'commercial', contract })).key)).toEqual([
      '2026-06-03',
      '2026-06-02',
    ]);
  });

  test('features: history; and snapshots, incremental; and webhooks', async () => {
    expect(await ofPlans(async (plan) => (await planOf(plan)).features)).toEqual([
      ['history'],
      ['history', 'snapshots', 'incremental'],
      ['history', 'snapshots', 'incremental', 'webhooks'],
    ]);
  });

  test('attribution: required, not required, per contract; redistribution: not permitted but by contract', async () => {
    const contract = { attribution_required: true, redistribution_allowed: true };
    const contracted = await api.accounts.add({ plan: 'commercial', contract });
    const rights = [...(await ofPlans(planOf)), (await api.accountOf(contracted)).plan];
    expect(rights.map((plan) => [plan.attribution_required, plan.redistribution_allowed])).toEqual([
      [true, false],
      [false, false],
      [false, false],
      [true, true],
    ]);
  });

  test('a plan that has ended is Community, one in arrears holds until its date', async () => {
    const { add } = api.accounts;
    const [past, coming] = [new Date('2026-06-01T00:00:00Z'), new Date('2026-07-15T00:00:00Z')];
    const subscriptions = [
      { plan: 'builder', status: 'canceled', periodEnd: past },
      { plan: 'builder', status: 'canceled', periodEnd: coming },
      { plan: 'builder', status: 'past_due', graceUntil: past },
      { plan: 'builder', status: 'past_due', graceUntil: coming },
    ] as const;
    const plans: unknown[] = [];
    for (const subscription of subscriptions)
      plans.push((await api.ask(await add(subscription), '/v1/models')).headers['x-service-plan']);
    expect(plans).toEqual(['community', 'builder', 'community', 'builder']);
  });
});
