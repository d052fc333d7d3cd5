import { ID_LENGTH_MAX } from '../../../schemas/datasets.ts';
import { RETENTION } from '../../../schemas/retention.ts';
import { ATTRIBUTION_BONUS } from '../../accounts/plans/plans.ts';
import { CAPABILITIES, type Capability } from '../../data/access/capabilities.ts';
import { MCP_ROUTE } from '../../mcp/mcp.ts';
import { TOOLS } from '../../mcp/tools/tools.ts';
import { ENDPOINTS_MAX } from '../../webhooks/endpoints/endpoint.ts';
import { DIGEST_ITEMS_MAX, TOPIC_DATA, TOPICS, type Topic } from '../../webhooks/topic.ts';
import type { Words } from '../markdown/prepare.ts';
import { code, markdownTable, wholeNumber } from '../markdown/tables.ts';
import { featureValues, plansTable, planValues, routeLimitsTable } from './plan-tables.ts';
import { datasetsTable, fieldTables, orderValues, versionsTable } from './record-tables.ts';
import { exampleTables, limitValues, routeSections } from './route-tables.ts';

/** What the guide has to know of the service that it stands in. */
export interface GuideFacts {
  /** Whether a capability is there for everybody. */
  readonly isLive: (capability: Capability) => boolean;
  readonly hasConsole: boolean;
  /** Requests per key, route and minute that differ from the routes' own, by the name of the route. */
  readonly backstop: Readonly<Record<string, number>>;
  /** Attempts without a valid key per minute and client address. */
  readonly failedAttemptsMax: number;
  /** Badges, embeds, feeds and searches of these pages per minute and client address. */
  readonly publicRequestsMax: number;
}

/** When an event of each topic is told, for people. */
const TOPIC_WORDS: Readonly<Record<Topic, string>> = {
  'model.created': 'a model is added, or comes back',
  'score.updated': 'a score is added or corrected',
  'ranking.updated': 'ranks or members of a category changed; once per category and night',
  'pricing.updated': 'a price changed, or a provider came or went',
  'snapshot.published': 'a night was published',
};

/** Everything that pages take from the program: nothing of it is typed anywhere in the guide's text. */
export function wordsFrom(facts: GuideFacts): Words {
  const { isLive, hasConsole, backstop, failedAttemptsMax, publicRequestsMax } = facts;
  return {
    conditions: {
      ...Object.fromEntries(CAPABILITIES.map((capability) => [capability, isLive(capability)])),
      console: hasConsole,
      // A copy that follows needs both.
      mirror: isLive('snapshots') && isLive('changes'),
    },
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
    },
  };
}

function topicsTable(): string {
  const rows = TOPICS.map((topic) => [
    code(topic),
    TOPIC_WORDS[topic],
    Object.keys(TOPIC_DATA[topic].shape).map(code).join(', '),
  ]);
  return markdownTable(['Topic', 'Told when', '`data`'], rows);
}

function toolsTable(isLive: GuideFacts['isLive']): string {
  const rows = TOOLS.filter(({ access }) => isLive(access.capability)).map(({ name, title, access }) => [
    code(name),
    title,
    code(access.name),
  ]);
  return markdownTable(['Tool', 'What it does', 'Asks'], rows);
}
