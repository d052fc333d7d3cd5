import { ID_LENGTH_MAX } from '../../schemas/datasets.ts';
import { RETENTION } from '../../schemas/retention.ts';
import {
  ATTRIBUTION_BONUS,
  FEATURES,
  type Feature,
  HISTORY_MONTHS_FULL,
  PLAN_NAMES,
  PLANS,
  type Plan,
} from '../accounts/organizations/plans.ts';
import type { Capability } from '../data/access/rights.ts';
import { DATA_ROUTES } from '../data/routes/data-routes.ts';
import { MCP_ROUTE } from '../mcp/mcp.ts';
import { TOOLS } from '../mcp/tools/tools.ts';
import { ENDPOINTS_MAX } from '../webhooks/endpoints/endpoint.ts';
import { RATES_MAX } from '../webhooks/topics/pricing-updated.ts';
import { DIGEST_ITEMS_MAX, TOPIC_DEFINITIONS } from '../webhooks/topics/topics.ts';
import { conditionsFrom, type GuideFacts } from './guide-facts.ts';
import { code, markdownTable, wholeNumber } from './markdown.ts';
import { type PageValues, readMirrorProgram } from './pages.ts';
import {
  datasetsTable,
  exampleTables,
  fieldTables,
  limitValues,
  orderValues,
  routeSections,
  versionsTable,
} from './route-tables.ts';

export function pageValuesFrom(facts: GuideFacts): PageValues {
  const { isLive, backstop, failedAttemptsMax, publicRequestsMax } = facts;
  return {
    conditions: conditionsFrom(facts),
    values: {
      ...planValues(),
      ...featureValues(),
      ...limitValues(),
      ...orderValues(),
      'bonus.units': String(ATTRIBUTION_BONUS.perIntegration),
      'bonus.most': String(ATTRIBUTION_BONUS.integrationsMax),
      'feed.months': String(RETENTION.changesMonths),
      'snapshots.kept': String(RETENTION.snapshots),
      'id.characters': String(ID_LENGTH_MAX),
      'attempts.requests': wholeNumber(failedAttemptsMax),
      'public.requests': wholeNumber(publicRequestsMax),
      'mcp.requests': wholeNumber(backstop[MCP_ROUTE.name] ?? MCP_ROUTE.limitPerMinute),
      'webhooks.endpoints': String(ENDPOINTS_MAX),
      'digest.items': wholeNumber(DIGEST_ITEMS_MAX),
      'message.rates': String(RATES_MAX),
    },
    tables: {
      ...fieldTables(),
      ...exampleTables(),
      plans: plansTable(isLive),
      'route-limits': routeLimitsTable(isLive, backstop),
      routes: routeSections(isLive),
      datasets: datasetsTable(),
      versions: versionsTable(),
      topics: topicsTable(),
      tools: toolsTable(isLive),
      'mirror-program': `\`\`\`python\n${readMirrorProgram()}\`\`\``,
    },
  };
}

function topicsTable(): string {
  const rows = TOPIC_DEFINITIONS.map(({ name, sentWhen, data }) => [
    code(name),
    sentWhen,
    Object.keys(data.shape).map(code).join(', '),
  ]);
  return markdownTable(['Topic', 'Sent when', '`data`'], rows);
}

function toolsTable(isLive: GuideFacts['isLive']): string {
  const rows = TOOLS.filter(({ access }) => isLive(access.capability)).map(({ name, title, access }) => [
    code(name),
    title,
    code(access.name),
  ]);
  return markdownTable(['Tool', 'What it does', 'Route'], rows);
}

const ALL = PLAN_NAMES.map((name) => PLANS[name]);

/** Without capabilities that aren't live (specification "Plans"). */
function plansTable(isLive: (capability: Capability) => boolean): string {
  const rows: readonly (readonly [string, (plan: Plan) => string, Capability?])[] = [
    ['Price, without tax', priceOf],
    ['Units a day', ({ dailyQuota }) => (dailyQuota === null ? 'unlimited' : wholeNumber(dailyQuota))],
    ['Requests a minute', ({ burstPerMinute }) => wholeNumber(burstPerMinute)],
    ['Current data', () => 'yes'],
    ['History', historyOf, 'history'],
    ['Snapshots', snapshotsOf, 'snapshots'],
    ['Change feed', hasFeature('incremental'), 'changes'],
    ['Webhooks', hasFeature('webhooks'), 'webhooks'],
    [
      'Attribution',
      ({ attributionRequired }) => (attributionRequired ? 'required where you show the data' : 'not required'),
    ],
    ['Redistribution', ({ redistributionAllowed }) => (redistributionAllowed ? 'yes' : 'no')],
    ['Extra units for attribution', bonusOf, 'attribution'],
    ['Support', ({ support }) => support],
  ];
  const shown = rows.filter(([, , capability]) => capability === undefined || isLive(capability));
  return markdownTable(
    ['What', ...ALL.map(({ displayName }) => displayName)],
    shown.map(([name, cell]) => [name, ...ALL.map(cell)]),
  );
}

/** Such as `builder.units`. */
function planValues(): Readonly<Record<string, string>> {
  return Object.fromEntries(
    ALL.flatMap((plan) => [
      [`${plan.plan}.units`, plan.dailyQuota === null ? 'unlimited' : wholeNumber(plan.dailyQuota)],
      [`${plan.plan}.requests`, wholeNumber(plan.burstPerMinute)],
    ]),
  );
}

/** Such as `Builder and Commercial`. */
function featureValues(): Readonly<Record<string, string>> {
  return Object.fromEntries(FEATURES.map((feature) => [`plans-with.${feature}`, plansWith(feature)]));
}

function plansWith(feature: Feature): string {
  const names = ALL.filter(({ features }) => features.includes(feature)).map(({ displayName }) => displayName);
  return new Intl.ListFormat('en').format(names);
}

function routeLimitsTable(
  isLive: (capability: Capability) => boolean,
  backstop: Readonly<Record<string, number>>,
): string {
  const rows = DATA_ROUTES.filter(({ capability }) => isLive(capability)).map(({ access, feature, isFree = false }) => [
    code(access.name),
    ...(isLive('plans') ? [feature === null ? 'every plan' : plansWith(feature), isFree ? '0' : '1'] : []),
    wholeNumber(backstop[access.name] ?? access.limitPerMinute),
  ]);
  return markdownTable(['Route', ...(isLive('plans') ? ['Plans', 'Units'] : []), 'Requests a minute per key'], rows);
}

function priceOf({ pricePerMonthUsd: price }: Plan): string {
  if (price === null) return 'by contract';
  return price === 0 ? 'free' : `${price} USD a month`;
}

function historyOf({ historyMonths }: Plan): string {
  return historyMonths >= HISTORY_MONTHS_FULL ? 'from the first day' : `${historyMonths} months`;
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
