import type { Endpoint } from '../../../api/webhooks/endpoints/endpoint.ts';
import { CHANGE_PERCENT_MAX, type Filters, PERCENT_MAX } from '../../../api/webhooks/endpoints/filters.ts';
import type { Attempt } from '../../../api/webhooks/queue/delivery.ts';
import { DIRECTIONS } from '../../../api/webhooks/topics/topic.ts';
import { TOPICS } from '../../../api/webhooks/topics/topics.ts';
import { METERS } from '../../../schemas/rates.ts';
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
import {
  choicesValue,
  choiceValue,
  idsValue,
  nameValue,
  numberValue,
  positiveValue,
  textValue,
  topicsValue,
} from '../../cli/option-values.ts';
import { attemptJson, deliveryTable, describeAttempt, withWebhooks } from './deliveries.ts';

const FILTERS = {
  models: option('<ids>', 'only events of these models, separated by commas; \\, is a comma in an id', idsValue),
  benchmarks: option('<ids>', 'only scores of these benchmarks', idsValue),
  categories: option('<ids>', 'only rankings of these categories', idsValue),
  providers: option('<ids>', 'only prices of these providers', idsValue),
  minPriceChange: option(
    '<percent>',
    'only prices of input or output that rose or fell by at least this percentage',
    positiveValue(PERCENT_MAX),
  ),
  meters: choiceOf(
    METERS,
    option('<list>', 'only prices with a changed rate of these meters, separated by commas', choicesValue(METERS)),
  ),
  direction: choiceOf(
    DIRECTIONS,
    option(
      '<direction>',
      'only prices with a rate, or rankings with a model, that went up or down',
      choiceValue(DIRECTIONS),
    ),
  ),
  minChange: option(
    '<percent>',
    'only prices with a rate that rose or fell by at least this percentage',
    positiveValue(CHANGE_PERCENT_MAX),
  ),
  maxRank: option('<n>', 'only rankings that changed within the top n', numberValue(1, 1_000_000)),
};

const SHOWN_DELIVERIES = 10;

const addEndpoint = defineCommand({
  name: 'add',
  description: 'Register an endpoint and ping it; its secret is shown only once',
  options: {
    org: required('<id>', 'the organization', textValue),
    url: required('<url>', 'https URL for the deliveries', textValue),
    topics: choiceOf([...TOPICS, 'all'], required('<list>', 'topics, separated by commas', topicsValue)),
    description: optionOr('', '<text>', 'its purpose', nameValue),
    ...FILTERS,
    digest: flag('one delivery per topic and night instead of one per event'),
  },
  examples: [
    'modelstats webhooks add --org ID --url https://example.com/hooks --topics pricing.updated --meters output --direction down --min-change 5',
  ],
  notes: 'Exit code 1 if it is registered, but did not respond to its ping with 2xx',
  run(context, { org: organizationId, url, topics, description, digest, json, ...filters }) {
    const mode = digest ? 'digest' : 'each';
    const requested = { organizationId, url, topics, description, mode, filters: filtersFrom(filters) } as const;
    return withWebhooks(context, async ({ endpoints, sendNow }) => {
      const { endpoint, secret, pingId } = await endpoints.add(requested);
      // Before the ping: whatever its result, the secret is never shown again.
      if (!json) context.print(`${tableOf(context, [endpoint])}\n${secretLines(context, secret)}`);
      const ping = await sendNow(pingId);
      const now = await endpoints.get(endpoint.id);
      context.printResult({ ...jsonFrom(now), secret, ping: attemptJson(ping) }, () => pingLine(context, now, ping));
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
    context.printResult({ endpoints: found.map(jsonFrom) }, describe);
    return 0;
  },
});

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
    const { filters, unknownFilters, mode, topics, consecutiveFailures } = endpoint;
    context.printResult(jsonFrom(endpoint), () =>
      [
        tableOf(context, [endpoint]),
        `topics: ${topics.join(', ')}${mode === 'digest' ? ', as digests' : ''}`,
        ...(Object.keys(filters).length > 0 ? [`filters: ${JSON.stringify(filters)}`] : []),
        ...unknownFilters.map(
          (name) => `filter ${name} is not known to this version, so no events are sent: upgrade it`,
        ),
        ...(consecutiveFailures > 0 ? [`failed deliveries in a row: ${consecutiveFailures}`] : []),
        deliveries.length === 0 ? 'no deliveries yet' : deliveryTable(context, deliveries),
      ].join('\n'),
    );
    return 0;
  }),
);

/** A 2xx response makes an endpoint active; exit code 1 if it isn't. */
const enableEndpoint = endpointCommand(
  'enable',
  'Ping an inactive endpoint, which a 2xx response activates',
  (context, id) =>
    withWebhooks(context, async ({ endpoints, sendNow }) => {
      const pingId = await endpoints.enable(id);
      const ping = pingId === undefined ? undefined : await sendNow(pingId);
      const endpoint = await endpoints.get(id);
      context.printResult({ ...jsonFrom(endpoint), ping: attemptJson(ping) }, () =>
        pingId === undefined ? `${id} is active already` : pingLine(context, endpoint, ping),
      );
      return endpoint.state === 'active' ? 0 : 1;
    }),
);

const rotateSecret = endpointCommand(
  'rotate-secret',
  'Give an endpoint a new secret, shown only once; the old one becomes invalid',
  async (context, id) => {
    const { endpoint, secret } = await withWebhooks(context, ({ endpoints }) => endpoints.rotateSecret(id));
    context.printResult({ ...jsonFrom(endpoint), secret }, () => secretLines(context, secret));
    return 0;
  },
);

/** Exit code 1 without a 2xx response. */
const testEndpoint = endpointCommand('test', 'Send an endpoint a ping and show its response', (context, id) =>
  withWebhooks(context, async ({ endpoints, sendNow }) => {
    const ping = await sendNow(await endpoints.test(id));
    context.printResult({ id, ping: attemptJson(ping) }, () => describeAttempt(context, ping));
    return ping?.outcome === 'delivered' ? 0 : 1;
  }),
);

const removeEndpoint = endpointCommand('remove', 'Remove an endpoint permanently', async (context, id) => {
  const { url } = await withWebhooks(context, ({ endpoints }) => endpoints.remove(id));
  context.printResult({ id, url, state: 'removed' }, `removed ${id}, ${url}`);
  return 0;
});

const resealSecrets = defineCommand({
  name: 'reseal',
  description: 'Encrypt all secrets with the first key of MODELSTATS_SECRET_KEYS',
  examples: ['MODELSTATS_SECRET_KEYS=NEW,OLD modelstats webhooks reseal'],
  async run(context) {
    const resealed = await withWebhooks(context, ({ endpoints }) => endpoints.resealSecrets());
    context.printResult({ resealed }, `${resealed} encrypted again; all secrets use the first key`);
    return 0;
  },
});

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
  const { models, benchmarks, categories, providers, minPriceChange, meters, direction, minChange, maxRank } = given;
  return {
    ...(models === undefined ? {} : { models: [...models] }),
    ...(benchmarks === undefined ? {} : { benchmarks: [...benchmarks] }),
    ...(categories === undefined ? {} : { categories: [...categories] }),
    ...(providers === undefined ? {} : { providers: [...providers] }),
    ...(minPriceChange === undefined ? {} : { min_price_change_percent: minPriceChange }),
    ...(meters === undefined ? {} : { meters: [...meters] }),
    ...(direction === undefined ? {} : { direction }),
    ...(minChange === undefined ? {} : { min_change_percent: minChange }),
    ...(maxRank === undefined ? {} : { max_rank: maxRank }),
  };
}

function secretLines({ paint }: CommandContext, secret: string): string {
  return `\n  ${paint.bold(secret)}\n\nThe secret is shown only this once; a receiver verifies deliveries with it.`;
}

function pingLine(context: CommandContext, { id, state }: Endpoint, ping: Attempt | undefined): string {
  const { paint } = context;
  const text = `ping ${describeAttempt(context, ping)}: the endpoint is`;
  if (state === 'active') return `${text} ${paint.green('active')}`;
  const next = `It gets no events until it responds to a ping with 2xx. To ping it again: modelstats webhooks enable ${id}`;
  return `${text} ${paint.yellow(state)}, but not active.\n${next}`;
}

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
