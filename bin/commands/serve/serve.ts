import { defineCommand, flag, option } from '../../cli/command.ts';
import { textValue } from '../../cli/option-values.ts';

export const serve = defineCommand({
  name: 'serve',
  description: 'Serve the API from the store, with each new release, until a signal',
  options: {
    withSchedule: flag('run the nights in this process too, as `schedule` does'),
    withWebhooks: flag('send webhooks from this process too, as `dispatch` does'),
    withChecks: flag('check integrations from this process too, as `dispatch` does'),
    withDigests: flag('send digests by email from this process too, as `dispatch` does'),
    withConsole: flag('serve the console too: pages where people sign in and manage their organizations'),
    source: option('<dir>', 'with --with-schedule: folder with the raw data (default: MODELSTATS_SOURCE)', textValue),
  },
  json: 'one JSON object on stdout when listening; with --with-schedule one per night',
  examples: ['MODELSTATS_PORT=8080 modelstats serve'],
  stopsItself: true,
  run: async (context, options) => (await import('./run-serve.ts')).runServe(context, options),
});

export const dispatch = defineCommand({
  name: 'dispatch',
  description: 'Send webhooks for published changes and digests by email, and check integrations, until a signal',
  json: 'one JSON object on stdout after the start',
  examples: ['modelstats dispatch'],
  notes: 'With PostgreSQL several may run at once and share the work',
  stopsItself: true,
  run: async (context, options) => (await import('./run-dispatch.ts')).runDispatch(context, options),
});
