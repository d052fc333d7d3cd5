import {
  FEATURES,
  type Feature,
  HISTORY_MONTHS_FULL,
  PLAN_NAMES,
  PLANS,
  type Plan,
} from '../../accounts/plans/plans.ts';
import type { Capability } from '../../data/access/capabilities.ts';
import { DATA_ROUTES } from '../../data/routes/data-routes.ts';
import { code, markdownTable, wholeNumber } from '../markdown/tables.ts';

const ALL = PLAN_NAMES.map((name) => PLANS[name]);

/** What each plan grants (specification "Plans"); without rows of what is not there for everybody. */
export function plansTable(isLive: (capability: Capability) => boolean): string {
  const rows: readonly (readonly [string, (plan: Plan) => string, Capability?])[] = [
    ['Price, without tax', priceOf],
    ['Units a day', ({ dailyQuota }) => (dailyQuota === null ? 'unlimited' : wholeNumber(dailyQuota))],
    ['Requests a minute', ({ burstPerMinute }) => wholeNumber(burstPerMinute)],
    ['Current data', () => 'yes'],
    ['History reaches back', historyOf, 'history'],
    ['Snapshots and their downloads', snapshotsOf, 'snapshots'],
    ['Change feed', hasFeature('incremental'), 'changes'],
    ['Webhooks', hasFeature('webhooks'), 'webhooks'],
    [
      'Attribution',
      ({ attributionRequired }) => (attributionRequired ? 'required where the data are shown' : 'not required'),
    ],
    ['Redistribution', ({ redistributionAllowed }) => (redistributionAllowed ? 'yes' : 'no')],
    ['More units for attribution', bonusOf, 'attribution'],
    ['Support', ({ support }) => support],
  ];
  const shown = rows.filter(([, , capability]) => capability === undefined || isLive(capability));
  return markdownTable(
    ['What', ...ALL.map(({ displayName }) => displayName)],
    shown.map(([name, cell]) => [name, ...ALL.map(cell)]),
  );
}

/** Values of plans by name, such as `builder.units`. */
export function planValues(): Readonly<Record<string, string>> {
  return Object.fromEntries(
    ALL.flatMap((plan) => [
      [`${plan.plan}.units`, plan.dailyQuota === null ? 'unlimited' : wholeNumber(plan.dailyQuota)],
      [`${plan.plan}.requests`, wholeNumber(plan.burstPerMinute)],
    ]),
  );
}

/** Which plans have a feature, in words: `Builder and Commercial`. */
export function featureValues(): Readonly<Record<string, string>> {
  return Object.fromEntries(FEATURES.map((feature) => [`plans-with.${feature}`, plansWith(feature)]));
}

function plansWith(feature: Feature): string {
  const names = ALL.filter(({ features }) => features.includes(feature)).map(({ displayName }) => displayName);
  return new Intl.ListFormat('en').format(names);
}

/** Requests per minute of a key to each route that is there, and what a route costs. */
export function routeLimitsTable(
  isLive: (capability: Capability) => boolean,
  backstop: Readonly<Record<string, number>>,
): string {
  const rows = DATA_ROUTES.filter(({ capability }) => isLive(capability)).map(({ access, feature, isFree = false }) => [
    code(access.name),
    ...(isLive('plans') ? [feature === null ? 'every plan' : plansWith(feature), isFree ? '0' : '1'] : []),
    wholeNumber(backstop[access.name] ?? access.limitPerMinute),
  ]);
  return markdownTable(['Route', ...(isLive('plans') ? ['Plans', 'Units'] : []), 'Requests a minute of one key'], rows);
}

function priceOf({ pricePerMonthUsd: price }: Plan): string {
  if (price === null) return 'by contract';
  return price === 0 ? 'free' : `${price} USD a month`;
}

function historyOf({ historyMonths }: Plan): string {
  return historyMonths >= HISTORY_MONTHS_FULL ? 'to the first day' : `${historyMonths} months`;
}

function snapshotsOf({ snapshots: { newest, monthEnds } }: Plan): string {
  if (newest === 0) return 'no';
  if (newest === 1) return 'the newest one';
  return `the newest ${newest}${monthEnds ? ', and the last of each month' : ''}`;
}

function bonusOf({ hasAttributionBonus }: Plan): string {
  return hasAttributionBonus ? 'yes' : 'no';
}

function hasFeature(feature: Feature): (plan: Plan) => string {
  return ({ features }) => (features.includes(feature) ? 'yes' : 'no');
}
