import type { Command } from 'commander';
import { DELIVERY_STATES } from '../../api/webhooks/queue/delivery.ts';
import { PING, TOPICS } from '../../api/webhooks/topic.ts';
import { choiceOption } from '../cli/choices.ts';
import type { RunAction } from '../cli/command-context.ts';
import {
  idsValue,
  instantValue,
  nameValue,
  numberValue,
  positiveValue,
  textValue,
  topicsValue,
} from '../cli/option-values.ts';
import { ACTIONS } from '../command-actions.ts';
import type { ListDeliveriesOptions, ReplayOptions } from '../commands/webhooks/deliveries.ts';
import type { EndpointOptions } from '../commands/webhooks/endpoints.ts';

/** Adds the commands that send webhooks and look after endpoints. */
export function addWebhookCommands(program: Command, run: RunAction): void {
  program
    .command('dispatch')
    .description(
      'Send webhooks: turn published changes into deliveries and send what is due; check integrations; until a signal',
    )
    .option('--json', 'one JSON object on stdout when at work')
    .addHelpText(
      'after',
      '\nExample:\n  modelstats dispatch\n\nSeveral may run at once on PostgreSQL; each sends its share',
    )
    .action(run(ACTIONS.dispatch, { stopsItself: true }));
  const webhooks = program.command('webhooks').description('Look after the endpoints that are told what changes');
  addAdd(webhooks, run);
  addEndpointCommands(webhooks, run);
  addDeliveryCommands(webhooks, run);
  addListen(webhooks, run);
}

function addAdd(webhooks: Command, run: RunAction): void {
  webhooks
    .command('add')
    .description('Register an endpoint and ping it; its secret is shown this once')
    .requiredOption('--org <id>', 'the organization', textValue)
    .requiredOption('--url <url>', 'https address that takes the deliveries', textValue)
    .addOption(
      choiceOption(
        '--topics <list>',
        'what it is told, separated by commas',
        [...TOPICS, 'all'],
        topicsValue,
      ).makeOptionMandatory(),
    )
    .option('--description <text>', 'what it is for', nameValue, '')
    .option('--models <ids>', 'only events of these models, separated by commas; \\, is a comma in an id', idsValue)
    .option('--benchmarks <ids>', 'only scores of these benchmarks', idsValue)
    .option('--categories <ids>', 'only rankings of these categories', idsValue)
    .option('--providers <ids>', 'only prices of these providers', idsValue)
    .option('--min-price-change <percent>', 'only prices that rose or fell by at least so many per cent', positiveValue)
    .option('--max-rank <n>', 'only rankings that changed within the top n', numberValue(1, 1_000_000))
    .option('--digest', 'one delivery per topic and night in place of one per event')
    .option('--json', 'one JSON object on stdout')
    .addHelpText(
      'after',
      '\nExample:\n  modelstats webhooks add --org ID --url https://example.com/hooks --topics pricing.updated --min-price-change 5',
    )
    .addHelpText('after', '\nExit code 1 where it is registered, but its ping was not answered with 2xx')
    .action(run(ACTIONS.addEndpoint));
}

function addEndpointCommands(webhooks: Command, run: RunAction): void {
  webhooks
    .command('list')
    .description('List the endpoints of an organization, or all, without their secrets')
    .option('--org <id>', 'the organization', textValue)
    .option('--json', 'one JSON object on stdout')
    .addHelpText('after', '\nExample:\n  modelstats webhooks list --org ID')
    .action(run(ACTIONS.listEndpoints));
  const withId = (name: string, description: string, load: (typeof ACTIONS)['showEndpoint']) =>
    webhooks
      .command(name)
      .description(description)
      .argument('<id>', 'id of the endpoint, whe_…')
      .option('--json', 'one JSON object on stdout')
      .addHelpText('after', `\nExample:\n  modelstats webhooks ${name} whe_01ARZ3NDEKTSV4RRFFQ69G5FAV`)
      .action((id: string, options: Omit<EndpointOptions, 'id'>) => run(load)({ ...options, id }));
  withId('show', 'Show an endpoint with its newest deliveries', ACTIONS.showEndpoint);
  withId('enable', 'Ask an endpoint that is not active to prove itself again: ping it', ACTIONS.enableEndpoint);
  withId('rotate-secret', 'Give an endpoint a new secret, shown this once; the old one ends', ACTIONS.rotateSecret);
  withId('test', 'Send an endpoint a ping and show its answer', ACTIONS.testEndpoint);
  withId('remove', 'Remove an endpoint for good', ACTIONS.removeEndpoint);
  webhooks
    .command('reseal')
    .description('Encrypt all secrets with the first key of MODELSTATS_SECRET_KEYS')
    .option('--json', 'one JSON object on stdout')
    .addHelpText('after', '\nExample:\n  MODELSTATS_SECRET_KEYS=NEW,OLD modelstats webhooks reseal')
    .action(run(ACTIONS.resealSecrets));
}

function addDeliveryCommands(webhooks: Command, run: RunAction): void {
  webhooks
    .command('deliveries')
    .description('List what was sent to an endpoint in the last 30 days, newest first; or show one delivery')
    .argument('<id>', 'id of an endpoint, whe_…, or of a delivery, dlv_…')
    .addOption(choiceOption('--state <state>', 'only those in this state', DELIVERY_STATES))
    .addOption(choiceOption('--topic <topic>', 'only those of this topic', [...TOPICS, PING]))
    .option('--before <delivery>', 'those older than this one', textValue)
    .option('--limit <n>', 'so many at most', numberValue(1, 1_000), 20)
    .option('--json', 'one JSON object on stdout')
    .addHelpText('after', '\nExample:\n  modelstats webhooks deliveries whe_01ARZ3NDEKTSV4RRFFQ69G5FAV --state failed')
    .action((id: string, options: Omit<ListDeliveriesOptions, 'id'>) =>
      run(id.startsWith('dlv_') ? ACTIONS.showDelivery : ACTIONS.listDeliveries)({ ...options, id }),
    );
  webhooks
    .command('replay')
    .description('Send events again to an active endpoint: one, or all that failed since then')
    .argument('<endpoint>', 'id of the endpoint, whe_…')
    .argument('[id]', 'id of the event, evt_…, or of a delivery of it, dlv_…')
    .option('--failed-since <when>', 'an instant, the start of a day, or so long ago: 24h, 7d', instantValue)
    .option('--json', 'one JSON object on stdout')
    .addHelpText(
      'after',
      '\nExamples:\n  modelstats webhooks replay ENDPOINT evt_01ARZ3NDEKTSV4RRFFQ69G5FAV\n  modelstats webhooks replay ENDPOINT --failed-since 24h',
    )
    .action((endpoint: string, id: string | undefined, options: Omit<ReplayOptions, 'endpoint' | 'id'>) =>
      run(ACTIONS.replay)({ ...options, endpoint, id }),
    );
}

function addListen(webhooks: Command, run: RunAction): void {
  webhooks
    .command('listen')
    .description('Take deliveries on this machine, verify them and print them, until a signal: to try webhooks with')
    .option('--port <n>', 'port on 127.0.0.1; 0 for any free one', numberValue(0, 65_535), 9443)
    .option('--folder <dir>', 'where its certificates lie; made when they are missing', textValue, './data/listen')
    .option('--secret <secret>', "the endpoint's, whsec_…; without it signatures are not checked", textValue)
    .option('--status <n>', 'what it answers, to see a delivery fail', numberValue(200, 599), 204)
    .option('--json', 'one JSON object a delivery on stdout')
    .addHelpText('after', '\nExample:\n  modelstats webhooks listen --secret whsec_…')
    .action(run(ACTIONS.listen, { stopsItself: true }));
}
