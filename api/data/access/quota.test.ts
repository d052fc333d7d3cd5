import { describe, expect, onTestFinished, test } from 'vitest';
import type { Customer } from '../../../test/support/accounts/subject.ts';
import { NOON } from '../../../test/support/api/open-api.ts';
import { useApi } from '../../../test/support/api/use-api.ts';
import { addVerified } from '../../../test/support/integrations/integration-rows.ts';
import { MODEL, SAMPLE_DAYS } from '../../../test/support/pipeline/sample-store.ts';
import type { Account } from '../../accounts/caller.ts';
import type { PlanName } from '../../accounts/organizations/plans.ts';
import type { Contract } from '../../accounts/organizations/terms.ts';
import { openDatabase } from '../../database/open-database.ts';

const api = useApi({ days: SAMPLE_DAYS, accounts: {} });
const LATEST = SAMPLE_DAYS[2];
const DOWNLOAD = `/v1/snapshots/${LATEST}/download?dataset=models`;

async function usedBy(customer: Customer): Promise<number> {
  return (await api.accountOf(customer)).usage.used;
}

function withQuota(daily_quota: number | null) {
  return api.accounts.add({ plan: 'commercial', contract: { daily_quota, burst_per_minute: 10_000 } });
}

describe('Daily quota rules', () => {
  test.each([
    '/v1/models',
    '/v1/models?limit=1',
    '/v1/models?limit=200&q=nothing-of-this-name',
    `/v1/models/${MODEL}`,
    '/v1/benchmarks',
    '/v1/scores?limit=500',
    '/v1/pricing?meter=input&sort=price',
    '/v1/rankings?category=general',
    '/v1/updates',
    '/v1/categories',
    `/v1/models/${MODEL}/history?kind=pricing`,
    '/v1/rankings/history?category_id=general',
    '/v1/snapshots',
    DOWNLOAD,
    '/v1/changes',
    '/v1/changes?limit=1',
  ])('a 200 of %s is one unit, fresh or from the cache, whatever its size', async (url) => {
    const customer = await withQuota(null);
    const [first, second] = [await api.ask(customer, url), await api.ask(customer, url)];
    expect([first.statusCode, first.headers['x-quota-used'], first.headers['x-quota-limit']]).toEqual([
      200,
      '1',
      'unlimited',
    ]);
    expect([second.statusCode, second.headers['x-quota-used']]).toEqual([200, '2']);
    expect([first, second].map(({ headers }) => String(headers['x-cache']))).toEqual([
      expect.stringMatching(/^(MISS|BYPASS|HIT)$/),
      expect.stringMatching(/^(HIT|BYPASS)$/),
    ]);
  });

  test('a 304 never counts, for the tag as for the date', async () => {
    const customer = await withQuota(2);
    for (const url of ['/v1/models', '/v1/changes']) {
      const { headers } = await api.ask(customer, url);
      const before = await usedBy(customer);
      for (const condition of [
        { 'if-none-match': String(headers.etag) },
        { 'if-none-match': `"other", W/${String(headers.etag)}` },
        { 'if-none-match': '*' },
        { 'if-modified-since': String(headers['last-modified']) },
      ]) {
        const response = await api.ask(customer, url, { headers: condition });
        expect([response.statusCode, response.headers['x-quota-used']]).toEqual([304, `${before}`]);
      }
    }
  });

  test('a condition that names no answer holds a unit while it is looked up, and gives it back', async () => {
    const customer = await withQuota(1);
    const ask = (url: string) => api.ask(customer, url, { headers: { 'if-none-match': '*' } });
    const unknown = (day: string) => `/v1/models/${MODEL}/history?kind=score&from=${day}&to=${day}`;
    const found = await ask(unknown('2026-06-01'));
    expect([found.statusCode, found.headers['x-quota-used']]).toEqual([304, '0']);
    await api.ask(customer, '/v1/models');
    expect((await ask('/v1/models?limit=3')).statusCode).toBe(304);
    const refused = await ask(unknown('2026-06-02'));
    expect([refused.statusCode, refused.json().error.code]).toEqual([429, 'quota_exceeded']);
  });

  test('a 302 of a download counts as one unit, and fetching the file as none', async () => {
    const customer = await withQuota(null);
    const redirect = await api.ask(customer, `${DOWNLOAD}&redirect=true`);
    expect([redirect.statusCode, redirect.headers['x-quota-used']]).toEqual([302, '1']);
    const { pathname, search } = new URL(String(redirect.headers.location));
    expect((await api.get(pathname + search)).statusCode).toBe(200);
    expect(await usedBy(customer)).toBe(1);
  });

  test('the quota is new at 00:00:00 UTC, not a millisecond earlier', async () => {
    const { clock } = api;
    onTestFinished(() => clock.set(NOON));
    const customer = await withQuota(1);
    clock.set('2026-06-30T00:00:00Z');
    await api.ask(customer, '/v1/models');
    clock.set('2026-06-30T23:59:59.999Z');
    const refused = await api.ask(customer, '/v1/models');
    expect([refused.statusCode, refused.headers['retry-after']]).toEqual([429, '1']);
    expect(refused.json().error.reset_at).toBe('2026-07-01T00:00:00.000Z');
    clock.set('2026-07-01T00:00:00Z');
    const served = await api.ask(customer, '/v1/models');
    expect([served.statusCode, served.headers['x-quota-used']]).toEqual([200, '1']);
    expect(served.headers['x-quota-reset']).toBe(String(Date.parse('2026-07-02T00:00:00Z') / 1000));
    expect(await api.accountOf(customer)).toMatchObject({ usage: { quota_day: '2026-07-01', used: 1 } });
  });

  test('a verified integration adds to the limit, and not to what the plan says', async () => {
    const customer = await api.accounts.add();
    const database = await openDatabase(api.accounts.url);
    await addVerified(database, { organizationId: customer.organizationId, id: customer.organizationId });
    await database.close();
    const { headers } = await api.ask(customer, '/v1/models');
    expect(headers).toMatchObject({ 'x-quota-limit': '750', 'x-quota-remaining': '749' });
    expect(await api.accountOf(customer)).toMatchObject({ plan: { daily_quota: 500 }, usage: { limit: 750 } });
  });
});

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
