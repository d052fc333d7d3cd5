import { defineCommand, flag, option } from '../../cli/command.ts';
import { textValue, textValues } from '../../cli/option-values.ts';

export const nightly = defineCommand({
  name: 'nightly',
  description: 'Publish a day: capture, check, diff, history, snapshot, verify, publish',
  options: {
    source: option('<dir>', 'folder with the raw data (default: MODELSTATS_SOURCE)', textValue),
    day: option('<YYYY-MM-DD>', 'UTC day to capture (default: today)', textValue),
    allDays: flag('all dated folders of the source that are not published yet, in order'),
    dryRun: flag('do everything except publishing, and show what would be new, changed, gone and set aside'),
    accept: flag('accept what the guard holds, for this run'),
    acceptSuspect: option('<id...>', 'accept these suspect prices (pricing:<entity_id>), for this run', textValues),
  },
  json: 'one JSON object per day on stdout',
  examples: ['modelstats nightly --source ./raw --day 2026-11-20'],
  notes: 'Exit codes: 0 published or nothing to do, 2 usage, 3 held, 4 source rejected, 1 other errors',
  run: async (context, options) => (await import('./run-nights.ts')).runNights(context, options),
});
