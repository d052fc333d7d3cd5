import { defineCommand, flag, option } from '../../cli/command.ts';
import { textValue } from '../../cli/option-values.ts';

export const serve = defineCommand({
  name: 'serve',
  description: 'Answer the API from the store, following every new release, until a signal',
  options: {
    withSchedule: flag('run the nights in this process too, as `schedule` does'),
    withWebhooks: flag('send webhooks from this process too, as `dispatch` does'),
    withChecks: flag('check integrations from this process too, as `dispatch` does'),
    withConsole: flag('serve the console too: pages where people sign in and see what they own'),
    source: option('<dir>', 'with --with-schedule: folder with the raw data (default: MODELSTATS_SOURCE)', textValue),
  },
  json: 'one JSON object on stdout when listening; with --with-schedule one a night',
  examples: ['MODELSTATS_PORT=8080 modelstats serve'],
  stopsItself: true,
  run: async (context, options) => (await import('./run-serve.ts')).runServe(context, options),
});

export const dispatch = defineCommand({
  name: 'dispatch',
  description:
    'Send webhooks: turn published changes into deliveries and send what is due; check integrations; until a signal',
  json: 'one JSON object on stdout when at work',
  examples: ['modelstats dispatch'],
  notes: 'Several may run at once on PostgreSQL; each sends its share',
  stopsItself: true,
  run: async (context, options) => (await import('./run-dispatch.ts')).runDispatch(context, options),
});
