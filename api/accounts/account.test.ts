import { expect, test } from 'vitest';
import { AccountSchema, accountFrom } from './caller.ts';
import { effectiveTerms, NO_END_MS, NO_SUBSCRIPTION } from './organizations/terms.ts';

const NOW = new Date('2026-11-20T12:00:00Z');

test('the account object has exactly the fields of the specification', () => {
  const usage = { quotaDay: '2026-11-20', used: 3, limit: 750, remaining: 747, resetAt: 1_795_219_200 };
  const account = accountFrom(effectiveTerms(NO_SUBSCRIPTION, [NO_END_MS], NOW), usage, 'api_key');
  expect(AccountSchema.parse(account)).toEqual({
    plan: {
      plan: 'community',
      plan_version: 1,
      display_name: 'Community',
      status: 'active',
      daily_quota: 500,
      burst_per_minute: 60,
      history_months: 6,
      features: ['history'],
      attribution_required: true,
      redistribution_allowed: false,
      period_end: '2026-12-01T00:00:00Z',
    },
    usage: {
      quota_day: '2026-11-20',
      used: 3,
      limit: 750,
      remaining: 747,
      reset_at: 1_795_219_200,
      burst_limit: 60,
    },
    client_source: 'api_key',
  });
});
