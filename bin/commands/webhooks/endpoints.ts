import type { Endpoint } from '../../../api/webhooks/endpoints/endpoint.ts';
import type { Filters } from '../../../api/webhooks/endpoints/filters.ts';
import type { Attempt } from '../../../api/webhooks/queue/delivery.ts';
import { TOPICS } from '../../../api/webhooks/topics/topics.ts';
import {
  type AddCommand,
  argument,
  type CommandContext,
  choiceOf,
  defineCommand,
  fieldJson,
  flag,
  option,
  optionOr,
  required,
  type ValuesOf,
} from '../../cli/command.ts';
import { idsValue, nameValue, numberValue, positiveValue, textValue, topicsValue } from '../../cli/option-values.ts';
import { attemptJson, deliveryTable, describeAttempt, withWebhooks } from './deliveries.ts';

/** Which events an endpoint gets. */
const FILTERS = {
  models: option('<ids>', 'only events of these models, separated by commas; \\, is a comma in an id', idsValue),
  benchmarks: option('<ids>', 'only scores of these benchmarks', idsValue),
  categories: option('<ids>', 'only rankings of these categories', idsValue),
  providers: option('<ids>', 'only prices of these providers', idsValue),
  minPriceChange: option('<percent>', 'only prices that rose or fell by at least so many per cent', positiveValue),
  maxRank: option('<n>', 'only rankings that changed within the top n', numberValue(1, 1_000_000)),
};

/** Deliveries that `webhooks show` lists. */
const SHOWN_DELIVERIES = 10;

const addEndpoint = defineCommand({
  name: 'add',
  description: 'Register an endpoint and ping it; its secret is shown this once',
  options: {
    org: required('<id>', 'the organization', textValue),
    url: required('<url>', 'https address that takes the deliveries', textValue),
    topics: choiceOf([...TOPICS, 'all'], required('<list>', 'what it is told, separated by commas', topicsValue)),
    description: optionOr('', '<text>', 'what it is for', nameValue),
    ...FILTERS,
    digest: flag('one delivery per topic and night in place of one per event'),
  },
  examples: [
    'modelstats webhooks add --org ID --url https://example.com/hooks --topics pricing.updated --min-price-change 5',
  ],
  notes: 'Exit code 1 where it is registered, but its ping was not answered with 2xx',
  run(context, { org: organizationId, url, topics, description, digest, json, ...filters }) {
    const mode = digest ? 'digest' : 'each';
    const wanted = { organizationId, url, topics, description, mode, filters: filtersFrom(filters) } as const;
    return withWebhooks(context, async ({ endpoints, sendNow }) => {
      const { endpoint, secret, pingId } = await endpoints.add(wanted);
      // Shown before the ping: whatever becomes of that, the secret is never shown again.
      if (!json) context.print(`${tableOf(context, [endpoint])}\n${secretLines(context, secret)}`);
      const ping = await sendNow(pingId);
      const now = await endpoints.get(endpoint.id);
      context.answer({ ...jsonFrom(now), secret, ping: attemptJson(ping) }, () => pingLine(context, now, ping));
      return now.state === 'active' ? 0 : 1;
    });
  },
});

const listEndpoints = defineCommand({
  name: 'list',
  description: 'List the endpoints of an organization, or all, without their secrets',
  options: { org: option('<id>', 'the organization', textValue) },
  examples: ['modelstats webhooks list --org ID'],
  async run(context, { org }) {
    const found = await withWebhooks(context, ({ endpoints }) => endpoints.list(org));
    const describe = () => (found.length === 0 ? 'no endpoints' : tableOf(context, found));
    context.answer({ endpoints: found.map(jsonFrom) }, describe);
    return 0;
  },
});

/** A command that is given the id of an endpoint. */
function endpointCommand(
  name: string,
  description: string,
  run: (context: CommandContext, id: string, json: boolean) => Promise<number>,
): AddCommand {
  return defineCommand({
    name,
    description,
    arguments: { id: argument('id of the endpoint, whe_…') },
    examples: [`modelstats webhooks ${name} whe_01ARZ3NDEKTSV4RRFFQ69G5FAV`],
    run: (context, { id, json }) => run(context, id, json),
  });
}

const showEndpoint = endpointCommand('show', 'Show an endpoint with its newest deliveries', (context, id, json) =>
  withWebhooks(context, async ({ endpoints, log }) => {
    const endpoint = await endpoints.get(id);
    const deliveries = json ? [] : await log.list({ endpointId: id, limit: SHOWN_DELIVERIES });
    const { filters, mode, topics, consecutiveFailures } = endpoint;
    context.answer(jsonFrom(endpoint), () =>
      [
        tableOf(context, [endpoint]),
        `topics: ${topics.join(', ')}${mode === 'digest' ? ', as digests' : ''}`,
        ...(Object.keys(filters).length > 0 ? [`filters: ${JSON.stringify(filters)}`] : []),
        ...(consecutiveFailures > 0 ? [`failed deliveries in a row: ${consecutiveFailures}`] : []),
        deliveries.length === 0 ? 'no deliveries yet' : deliveryTable(context, deliveries),
      ].join('\n'),
    );
    return 0;
  }),
);

/** A 2xx answer makes an endpoint active; exit code 1 where it is not then. */
const enableEndpoint = endpointCommand(
  'enable',
  'Ask an endpoint that is not active to prove itself again: ping it',
  (context, id) =>
    withWebhooks(context, async ({ endpoints, sendNow }) => {
      const pingId = await endpoints.enable(id);
      const ping = pingId === undefined ? undefined : await sendNow(pingId);
      const endpoint = await endpoints.get(id);
      context.answer({ ...jsonFrom(endpoint), ping: attemptJson(ping) }, () =>
        pingId === undefined ? `${id} is active already` : pingLine(context, endpoint, ping),
      );
      return endpoint.state === 'active' ? 0 : 1;
    }),
);

const rotateSecret = endpointCommand(
  'rotate-secret',
  'Give an endpoint a new secret, shown this once; the old one ends',
  async (context, id) => {
    const { endpoint, secret } = await withWebhooks(context, ({ endpoints }) => endpoints.rotateSecret(id));
    context.answer({ ...jsonFrom(endpoint), secret }, () => secretLines(context, secret));
    return 0;
  },
);

/** Exit code 1 where the answer is no 2xx. */
const testEndpoint = endpointCommand('test', 'Send an endpoint a ping and show its answer', (context, id) =>
  withWebhooks(context, async ({ endpoints, sendNow }) => {
    const ping = await sendNow(await endpoints.test(id));
    context.answer({ id, ping: attemptJson(ping) }, () => describeAttempt(context, ping));
    return ping?.outcome === 'delivered' ? 0 : 1;
  }),
);

const removeEndpoint = endpointCommand('remove', 'Remove an endpoint for good', async (context, id) => {
  const { url } = await withWebhooks(context, ({ endpoints }) => endpoints.remove(id));
  context.answer({ id, url, state: 'removed' }, `removed ${id}, ${url}`);
  return 0;
});

const resealSecrets = defineCommand({
  name: 'reseal',
  description: 'Encrypt all secrets with the first key of MODELSTATS_SECRET_KEYS',
  examples: ['MODELSTATS_SECRET_KEYS=NEW,OLD modelstats webhooks reseal'],
  async run(context) {
    const resealed = await withWebhooks(context, ({ endpoints }) => endpoints.resealSecrets());
    context.answer({ resealed }, `${resealed} encrypted anew; all secrets are under the first key`);
    return 0;
  },
});

/** The commands that look after endpoints. */
export const ENDPOINT_COMMANDS: readonly AddCommand[] = [
  addEndpoint,
  listEndpoints,
  showEndpoint,
  enableEndpoint,
  rotateSecret,
  testEndpoint,
  removeEndpoint,
  resealSecrets,
];

function filtersFrom(given: ValuesOf<typeof FILTERS>): Filters {
  const { models, benchmarks, categories, providers, minPriceChange, maxRank } = given;
  return {
    ...(models === undefined ? {} : { models: [...models] }),
    ...(benchmarks === undefined ? {} : { benchmarks: [...benchmarks] }),
    ...(categories === undefined ? {} : { categories: [...categories] }),
    ...(providers === undefined ? {} : { providers: [...providers] }),
    ...(minPriceChange === undefined ? {} : { min_price_change_percent: minPriceChange }),
    ...(maxRank === undefined ? {} : { max_rank: maxRank }),
  };
}

function secretLines({ paint }: CommandContext, secret: string): string {
  return `\n  ${paint.bold(secret)}\n\nThis is the only time that the secret is shown; a receiver verifies deliveries with it.`;
}

function pingLine(context: CommandContext, { id, state }: Endpoint, ping: Attempt | undefined): string {
  const { paint } = context;
  const told = `ping ${describeAttempt(context, ping)}: the endpoint is`;
  if (state === 'active') return `${told} ${paint.green('active')}`;
  const next = `It gets no events before it answers a ping with 2xx. When it does, ping it again: modelstats webhooks enable ${id}`;
  return `${told} ${paint.yellow(state)}, but not active.\n${next}`;
}

/** An endpoint as the command line answers it. */
function jsonFrom(endpoint: Endpoint): Record<string, unknown> {
  return {
    ...fieldJson(endpoint, ['id', 'organizationId', 'url', 'description', 'topics', 'filters', 'mode']),
    ...fieldJson(endpoint, ['state', 'stateChangedAt', 'consecutiveFailures', 'secretChangedAt', 'createdAt']),
  };
}

function tableOf({ tableText }: CommandContext, found: readonly Endpoint[]): string {
  const rows = found.map((endpoint) => {
    const { id, organizationId, url, topics, state, stateChangedAt } = endpoint;
    return [id, organizationId, url, topics.length, state, stateChangedAt];
  });
  return tableText(['id', 'organization', 'url', 'topics', 'state', 'since'], rows);
}
