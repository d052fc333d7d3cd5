import { defineCommand, flag, option, required } from '../../cli/command.ts';
import { intervalValue, textValue } from '../../cli/option-values.ts';
import { SERVICE_OPTIONS } from './service-options.ts';

export const sync = defineCommand({
  name: 'sync',
  description: "Keep an exact local copy: the newest snapshot, then the change feed, verified by the snapshot's hashes",
  options: {
    ...SERVICE_OPTIONS,
    into: required('<place>', 'FILE.duckdb, FILE.sqlite, postgres://…, or a folder for JSON Lines', textValue),
    history: flag('store all events too, as far back as available'),
    watch: option<number | true>('[time]', 'sync repeatedly, at this interval: 30m, 24h', intervalValue),
    wait: flag('if the units of the day are used up, wait for the reset'),
    check: flag('change nothing: compare the copy with its snapshot and show the differences'),
  },
  json: 'one JSON object on stdout; with --watch one per sync that changed something',
  examples: [
    'MODELSTATS_API_KEY=msk_… modelstats sync --url https://api.example.com --into copy.duckdb',
    'modelstats sync --into copy.duckdb --check',
    'modelstats sync --into postgres://user@host/db --watch 1h',
  ],
  notes:
    'Exit codes: 0 equal to the newest snapshot, 1 not reached, or with --check not equal, 2 usage or a refused key',
  run: async (context, options) => (await import('./run-sync.ts')).runSync(context, options),
});
