import Table from 'cli-table3';
import type { Endpoint } from '../../../api/webhooks/endpoints/endpoint.ts';
import type { Filters } from '../../../api/webhooks/endpoints/filters.ts';
import type { Attempt } from '../../../api/webhooks/queue/delivery.ts';
import type { Topic } from '../../../api/webhooks/topic.ts';
import { timestampFromDate } from '../../../runtime/day.ts';
import type { CommandContext } from '../../cli/command-context.ts';
import { paint } from '../../cli/paint.ts';
import { withWebhooks } from '../../config/service/configured-webhooks.ts';
import { attemptJson, deliveryTable, describeAttempt } from './describe-delivery.ts';

export interface AddEndpointOptions {
  readonly org: string;
  readonly url: string;
  readonly topics: readonly Topic[];
  readonly description: string;
  readonly models?: readonly string[];
  readonly benchmarks?: readonly string[];
  readonly categories?: readonly string[];
  readonly providers?: readonly string[];
  readonly minPriceChange?: number;
  readonly maxRank?: number;
  readonly digest?: boolean;
  readonly json?: boolean;
}

export interface EndpointOptions {
  readonly id: string;
  readonly json?: boolean;
}

/** Deliveries that `webhooks show` lists. */
const SHOWN_DELIVERIES = 10;

/**
 * `modelstats webhooks add`: registers an endpoint, shows its secret this once, and pings it; exit code 1 where it is registered, but not
 * active, because its ping was not answered with 2xx.
 */
export async function addEndpoint(context: CommandContext, options: AddEndpointOptions): Promise<number> {
  const { org: organizationId, url, topics, description, digest, json } = options;
  const mode = digest ? 'digest' : 'each';
  const wanted = { organizationId, url, topics, description, mode, filters: filtersFrom(options) } as const;
  return withWebhooks(context, async ({ endpoints, sendNow }) => {
    const { endpoint, secret, pingId } = await endpoints.add(wanted);
    // Shown before the ping: whatever becomes of that, the secret is never shown again.
    if (!json) context.print(`${tableOf([endpoint])}\n${secretLines(secret)}`);
    const ping = await sendNow(pingId);
    const now = await endpoints.get(endpoint.id);
    if (json) context.print(JSON.stringify({ ...jsonFrom(now), secret, ping: attemptJson(ping) }));
    else context.print(pingLine(now, ping));
    return now.state === 'active' ? 0 : 1;
  });
}

/** `modelstats webhooks list`: the endpoints of an organization, or all. */
export async function listEndpoints(
  context: CommandContext,
  { org, json }: { readonly org?: string; readonly json?: boolean },
): Promise<number> {
  const found = await withWebhooks(context, ({ endpoints }) => endpoints.list(org));
  if (json) context.print(JSON.stringify({ endpoints: found.map(jsonFrom) }));
  else context.print(found.length === 0 ? 'no endpoints' : tableOf(found));
  return 0;
}

/** `modelstats webhooks show ID`: an endpoint with its newest deliveries. */
export async function showEndpoint(context: CommandContext, { id, json }: EndpointOptions): Promise<number> {
  await withWebhooks(context, async ({ endpoints, log }) => {
    const endpoint = await endpoints.get(id);
    if (json) return context.print(JSON.stringify(jsonFrom(endpoint)));
    const deliveries = await log.list({ endpointId: id, limit: SHOWN_DELIVERIES });
    const { filters, mode, consecutiveFailures } = endpoint;
    context.print(tableOf([endpoint]));
    context.print(`topics: ${endpoint.topics.join(', ')}${mode === 'digest' ? ', as digests' : ''}`);
    if (Object.keys(filters).length > 0) context.print(`filters: ${JSON.stringify(filters)}`);
    if (consecutiveFailures > 0) context.print(`failed deliveries in a row: ${consecutiveFailures}`);
    context.print(deliveries.length === 0 ? 'no deliveries yet' : deliveryTable(deliveries));
  });
  return 0;
}

/** `modelstats webhooks enable ID`: pings an endpoint that is not active, which a 2xx answer makes active. */
export async function enableEndpoint(context: CommandContext, { id, json }: EndpointOptions): Promise<number> {
  return withWebhooks(context, async ({ endpoints, sendNow }) => {
    const pingId = await endpoints.enable(id);
    const ping = pingId === undefined ? undefined : await sendNow(pingId);
    const endpoint = await endpoints.get(id);
    if (json) context.print(JSON.stringify({ ...jsonFrom(endpoint), ping: attemptJson(ping) }));
    else context.print(pingId === undefined ? `${id} is active already` : pingLine(endpoint, ping));
    return endpoint.state === 'active' ? 0 : 1;
  });
}

/** `modelstats webhooks test ID`: pings an endpoint and shows what it answers; exit code 1 where that is no 2xx. */
export async function testEndpoint(context: CommandContext, { id, json }: EndpointOptions): Promise<number> {
  return withWebhooks(context, async ({ endpoints, sendNow }) => {
    const ping = await sendNow(await endpoints.test(id));
    if (json) context.print(JSON.stringify({ id, ping: attemptJson(ping) }));
    else context.print(describeAttempt(ping));
    return ping?.outcome === 'delivered' ? 0 : 1;
  });
}

/** `modelstats webhooks rotate-secret ID`: shows the new secret this once. */
export async function rotateSecret(context: CommandContext, { id, json }: EndpointOptions): Promise<number> {
  const { endpoint, secret } = await withWebhooks(context, ({ endpoints }) => endpoints.rotateSecret(id));
  if (json) context.print(JSON.stringify({ ...jsonFrom(endpoint), secret }));
  else context.print(secretLines(secret));
  return 0;
}

/** `modelstats webhooks remove ID`: ends an endpoint for good. */
export async function removeEndpoint(context: CommandContext, { id, json }: EndpointOptions): Promise<number> {
  const { url } = await withWebhooks(context, ({ endpoints }) => endpoints.remove(id));
  context.print(json ? JSON.stringify({ id, url, state: 'removed' }) : `removed ${id}, ${url}`);
  return 0;
}

/** `modelstats webhooks reseal`: encrypts every secret with the first key. */
export async function resealSecrets(context: CommandContext, { json }: { readonly json?: boolean }): Promise<number> {
  const resealed = await withWebhooks(context, ({ endpoints }) => endpoints.resealSecrets());
  if (json) context.print(JSON.stringify({ resealed }));
  else context.print(`${resealed} encrypted anew; all secrets are under the first key`);
  return 0;
}

function filtersFrom(options: AddEndpointOptions): Filters {
  const { models, benchmarks, categories, providers, minPriceChange, maxRank } = options;
  return {
    ...(models === undefined ? {} : { models: [...models] }),
    ...(benchmarks === undefined ? {} : { benchmarks: [...benchmarks] }),
    ...(categories === undefined ? {} : { categories: [...categories] }),
    ...(providers === undefined ? {} : { providers: [...providers] }),
    ...(minPriceChange === undefined ? {} : { min_price_change_percent: minPriceChange }),
    ...(maxRank === undefined ? {} : { max_rank: maxRank }),
  };
}

function secretLines(secret: string): string {
  return `\n  ${paint.bold(secret)}\n\nThis is the only time that the secret is shown; a receiver verifies deliveries with it.`;
}

function pingLine({ id, state }: Endpoint, ping: Attempt | undefined): string {
  if (state === 'active') return `ping ${describeAttempt(ping)}: the endpoint is ${paint.green('active')}`;
  const next = `It gets no events before it answers a ping with 2xx. When it does, ping it again: modelstats webhooks enable ${id}`;
  return `ping ${describeAttempt(ping)}: the endpoint is ${paint.yellow(state)}, but not active.\n${next}`;
}

/** An endpoint as the command line answers it. */
function jsonFrom(endpoint: Endpoint): Record<string, unknown> {
  return {
    id: endpoint.id,
    organization_id: endpoint.organizationId,
    url: endpoint.url,
    description: endpoint.description,
    topics: endpoint.topics,
    filters: endpoint.filters,
    mode: endpoint.mode,
    state: endpoint.state,
    state_changed_at: timestampFromDate(endpoint.stateChangedAt),
    consecutive_failures: endpoint.consecutiveFailures,
    secret_changed_at: timestampFromDate(endpoint.secretChangedAt),
    created_at: timestampFromDate(endpoint.createdAt),
  };
}

function tableOf(endpoints: readonly Endpoint[]): string {
  const table = new Table({
    head: ['id', 'organization', 'url', 'topics', 'state', 'since'],
    style: { head: [], border: [] },
  });
  for (const { id, organizationId, url, topics, state, stateChangedAt } of endpoints)
    table.push([id, organizationId, url, String(topics.length), state, timestampFromDate(stateChangedAt)]);
  return table.toString();
}
