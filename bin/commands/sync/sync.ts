import { defineCommand, flag, option, required } from '../../cli/command.ts';
import { intervalValue, textValue } from '../../cli/option-values.ts';
import { SERVICE_OPTIONS } from './service-options.ts';

export const sync = defineCommand({
  name: 'sync',
  description:
    'Keep an exact local copy: the newest snapshot, then the change feed, proven by the hashes of the snapshot',
  options: {
    ...SERVICE_OPTIONS,
    into: required('<place>', 'FILE.duckdb, FILE.sqlite, postgres://…, or a folder for JSON Lines', textValue),
    history: flag('keep every event too, from as far back as can be had'),
    watch: option<number | true>('[time]', 'go on following, every so often: 30m, 24h', intervalValue),
    wait: flag('where the units of the day are used up, wait until there are more'),
    check: flag('change nothing: compare the copy with its snapshot and say what differs'),
  },
  json: 'one JSON object on stdout; with --watch one for each sync that changed something',
  examples: [
    'MODELSTATS_API_KEY=msk_… modelstats sync --url https://api.example.com --into copy.duckdb',
    'modelstats sync --into copy.duckdb --check',
    'modelstats sync --into postgres://user@host/db --watch 1h',
  ],
  notes:
    'Exit codes: 0 equal to the newest snapshot, 1 not reached, or with --check not equal, 2 usage or a key that is refused',
  run: async (context, options) => (await import('./run-sync.ts')).runSync(context, options),
});
