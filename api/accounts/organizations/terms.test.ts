import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { monthEnd, PLANS, planWindowStart } from './plans.ts';
import {
  ContractSchema,
  type Enforcement,
  effectiveTerms,
  isEnforced,
  NO_END_MS,
  NO_SUBSCRIPTION,
  SUBSCRIPTION_STATUSES,
  type Subscription,
  type Terms,
  termsValidUntilMs,
} from './terms.ts';

const NOW = new Date('2026-11-20T12:00:00Z');
const LATER = new Date('2026-12-10T00:00:00Z');

function termsOf(subscription: Partial<Subscription>, { integrations = 0, now = NOW } = {}) {
  return effectiveTerms({ ...NO_SUBSCRIPTION, ...subscription }, Array(integrations).fill(NO_END_MS), now);
}

describe('the effective terms', () => {
  test('without a subscription are those of Community until the end of the UTC month', () => {
    const periodEnd = new Date('2026-12-01T00:00:00Z');
    expect(termsOf({})).toMatchObject({ plan: 'community', status: 'active', quotaLimit: 500, periodEnd });
  });

  test.each([
    ['community', 0, 500],
    ['community', 1, 750],
    ['community', 2, 1000],
    ['community', 3, 1000],
    ['builder', 2, 5500],
    ['commercial', 2, null],
  ] as const)('of %s with %d verified integrations allow %s a day', (plan, integrations, limit) => {
    const terms = termsOf({ plan }, { integrations });
    expect([terms.quotaLimit, terms.dailyQuota]).toEqual([limit, PLANS[plan].dailyQuota]);
  });

  test('follow the contract where it speaks and the plan where it is silent', () => {
    const contract = {
      daily_quota: null,
      burst_per_minute: 900,
      history_months: 24,
      features: ['webhooks', 'history'],
      snapshots_newest: 365,
      redistribution_allowed: true,
    };
    expect(termsOf({ plan: 'builder', contract: ContractSchema.parse(contract) })).toMatchObject({
      plan: 'builder',
      quotaLimit: null,
      burstPerMinute: 900,
      historyMonths: 24,
      features: ['history', 'webhooks'],
      snapshots: { newest: 365, monthEnds: false },
      attributionRequired: false,
      redistributionAllowed: true,
    });
  });

  test('of a canceled subscription hold until the period ends, then Community holds without the contract', () => {
    const contract = { daily_quota: 7 };
    const canceled = { plan: 'builder', status: 'canceled', contract, periodEnd: LATER } as const;
    expect(termsOf(canceled)).toMatchObject({ plan: 'builder', quotaLimit: 7, periodEnd: LATER });
    const ended = termsOf(canceled, { now: LATER });
    const periodEnd = new Date('2027-01-01T00:00:00Z');
    expect(ended).toMatchObject({ plan: 'community', status: 'canceled', quotaLimit: 500, periodEnd });
  });

  test('of a canceled subscription without a period are those of Community at once', () => {
    expect(termsOf({ plan: 'builder', status: 'canceled' })).toMatchObject({ plan: 'community', quotaLimit: 500 });
  });

  test('of a late payment hold until the grace date', () => {
    const late = { plan: 'builder', status: 'past_due', graceUntil: LATER } as const;
    expect(termsOf(late)).toMatchObject({ plan: 'builder', status: 'past_due' });
    expect(termsOf(late, { now: LATER })).toMatchObject({ plan: 'community', status: 'past_due' });
  });

  test('are active again once a grace is over', () => {
    const grace = { status: 'grace', graceUntil: LATER } as const;
    expect(termsOf(grace).status).toBe('grace');
    expect(termsOf(grace, { now: LATER }).status).toBe('active');
  });
});

describe('limits', () => {
  const active = termsOf({});
  const inGrace = termsOf({ status: 'grace', graceUntil: LATER });

  test.each<[string, Enforcement, { readonly terms: Terms; readonly now: Date }, boolean]>([
    ['are only measured in measure mode', { mode: 'measure', from: null }, { terms: active, now: NOW }, false],
    ['hold in enforce mode', { mode: 'enforce', from: null }, { terms: active, now: NOW }, true],
    ['do not hold before the announced date', { mode: 'enforce', from: LATER }, { terms: active, now: NOW }, false],
    ['hold from the announced date on', { mode: 'enforce', from: LATER }, { terms: active, now: LATER }, true],
    ['do not hold for an organization in grace', { mode: 'enforce', from: null }, { terms: inGrace, now: NOW }, false],
    ['hold for it from its grace date on', { mode: 'enforce', from: null }, { terms: inGrace, now: LATER }, true],
  ])('%s', (_, enforcement, { terms, now }, enforced) => {
    expect(isEnforced(enforcement, terms, now)).toBe(enforced);
  });
});

test('terms are the same until the instant that is told', () => {
  const hours = fc.integer({ min: -2_000, max: 2_000 }).map((each) => new Date(NOW.getTime() + each * 3_600_000));
  const dates = fc.option(hours, { nil: null });
  const statuses = fc.constantFrom(...SUBSCRIPTION_STATUSES);
  const bonuses = fc.array(hours.map(Number), { maxLength: 2 });
  const share = fc.double({ min: 0, max: 1, noNaN: true });
  const terms = fc.record({ status: statuses, periodEnd: dates, graceUntil: dates });
  const soon = new Date(NOW.getTime() + 1_000);
  const active = { status: 'active', periodEnd: null, graceUntil: null } as const;
  fc.assert(
    fc.property(terms, bonuses, share, (changes, bonusEnds, at) => {
      const subscription: Subscription = { ...NO_SUBSCRIPTION, plan: 'builder', ...changes };
      const until = termsValidUntilMs(subscription, bonusEnds, NOW);
      const now = new Date(NOW.getTime() + Math.floor(at * (until - 1 - NOW.getTime())));
      expect(effectiveTerms(subscription, bonusEnds, now)).toEqual(effectiveTerms(subscription, bonusEnds, NOW));
    }),
    {
      // Each of the dates by itself, which chance alone brings up in every second run.
      examples: [
        [{ ...active, status: 'canceled', periodEnd: soon }, [], 1],
        [{ ...active, status: 'past_due', graceUntil: soon }, [], 1],
        [active, [soon.getTime()], 1],
      ],
    },
  );
});

test.each([
  ['2026-11-20T12:00:00Z', '2026-12-01T00:00:00Z'],
  ['2026-12-31T23:59:59Z', '2027-01-01T00:00:00Z'],
  ['2024-02-29T23:59:59Z', '2024-03-01T00:00:00Z'],
  ['2026-03-01T00:00:00Z', '2026-04-01T00:00:00Z'],
])('the month of %s ends at %s', (now, end) => {
  expect(monthEnd(new Date(now))).toEqual(new Date(end));
});

test.each([
  [6, '2026-08-29', '2026-02-28'],
  [6, '2026-08-30', '2026-02-28'],
  [6, '2026-08-31', '2026-02-28'],
  [6, '2024-08-31', '2024-02-29'],
  [6, '2026-12-31', '2026-06-30'],
  [6, '2026-03-31', '2025-09-30'],
  [12, '2024-02-29', '2023-02-28'],
  [12, '2025-02-28', '2024-02-28'],
  [12, '2026-10-31', '2025-10-31'],
  [0, '2026-10-31', '2026-10-31'],
  [1200, '2026-11-20', null],
])('a window of %d months on %s starts on %s', (months, today, start) => {
  expect(planWindowStart(months, today)).toBe(start);
});
