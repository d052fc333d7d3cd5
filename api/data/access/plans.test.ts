import { expect, test } from 'vitest';
import { useApi } from '../../../test/support/api/use-api.ts';
import { MODEL, SAMPLE_DAYS } from '../../../test/support/pipeline/sample-store.ts';
import type { Account } from '../../accounts/caller.ts';
import type { PlanName } from '../../accounts/organizations/plans.ts';
import type { Contract } from '../../accounts/organizations/terms.ts';

const api = useApi({ days: SAMPLE_DAYS, accounts: {} });

const FEATURES = ['history', 'snapshots', 'incremental'] as const;
const PUBLIC = { attribution_required: true, redistribution_allowed: false };
const PAID = { attribution_required: false, redistribution_allowed: false };
const AGREED = {
  daily_quota: 70_000,
  burst_per_minute: 1_200,
  history_months: 24,
  attribution_required: true,
  redistribution_allowed: true,
};

interface Row {
  readonly plan: PlanName;
  readonly contract?: Contract;
  readonly terms: Partial<Account['plan']>;
  /** The first day of history that is served. */
  readonly windowFrom: string | null;
  readonly snapshots: readonly string[];
}

test.each<Row>([
  {
    plan: 'community',
    terms: { daily_quota: 500, burst_per_minute: 60, history_months: 6, features: ['history'], ...PUBLIC },
    windowFrom: '2025-12-30',
    snapshots: [],
  },
  {
    plan: 'builder',
    terms: { daily_quota: 5000, burst_per_minute: 300, history_months: 12, features: [...FEATURES], ...PAID },
    windowFrom: '2025-06-30',
    snapshots: ['2026-06-03'],
  },
  {
    plan: 'commercial',
    terms: {
      daily_quota: null,
      burst_per_minute: 600,
      history_months: 1200,
      features: [...FEATURES, 'webhooks'],
      ...PAID,
    },
    windowFrom: null,
    snapshots: SAMPLE_DAYS.toReversed(),
  },
  {
    plan: 'commercial',
    contract: { ...AGREED, snapshots_newest: 2, snapshots_month_ends: false },
    terms: AGREED,
    windowFrom: '2024-06-30',
    snapshots: ['2026-06-03', '2026-06-02'],
  },
])(
  '$plan with the contract $contract has its terms in the account, in the headers and where they bind',
  async (row) => {
    const customer = await api.accounts.add({ plan: row.plan, contract: row.contract ?? {} });
    expect((await api.accountOf(customer)).plan).toMatchObject(row.terms);
    const history = await api.ask(customer, `/v1/models/${MODEL}/history?kind=pricing`);
    expect(history.json().window.plan_limit_from).toBe(row.windowFrom);
    const quota = row.terms.daily_quota ?? undefined;
    expect(history.headers).toMatchObject({
      'x-service-plan': row.plan,
      'x-quota-limit': quota === undefined ? 'unlimited' : `${quota}`,
      'x-quota-remaining': quota === undefined ? 'unlimited' : `${quota - 1}`,
      'x-quota-used': '1',
      'x-ratelimit-limit': `${row.terms.burst_per_minute}`,
    });
    const [listed, changes] = [await api.ask(customer, '/v1/snapshots'), await api.ask(customer, '/v1/changes')];
    if (row.snapshots.length > 0) {
      expect(listed.json().snapshots.map(({ id }: { id: string }) => id)).toEqual(row.snapshots);
      expect(changes.statusCode).toBe(200);
    } else {
      const refusal = { code: 'feature_not_in_plan', plan: 'community' };
      for (const refused of [listed, changes]) expect(refused.json().error).toMatchObject(refusal);
    }
  },
);
