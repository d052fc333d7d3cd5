import type { Command } from 'commander';
import type { RunAction } from '../cli/command-context.ts';
import { intervalValue, textValue } from '../cli/option-values.ts';
import { ACTIONS } from '../command-actions.ts';

/** Adds the command of those who consume the data. */
export function addSyncCommand(program: Command, run: RunAction): void {
  program
    .command('sync')
    .description(
      'Keep an exact local copy: the newest snapshot, then the change feed, proven by the hashes of the snapshot',
    )
    .option('--url <url>', 'the service (default: MODELSTATS_API_URL)', textValue)
    .option(
      '--key <key>',
      'the API key; others see it in the list of processes, so rather set MODELSTATS_API_KEY',
      textValue,
    )
    .requiredOption('--into <place>', 'FILE.duckdb, FILE.sqlite, postgres://…, or a folder for JSON Lines', textValue)
    .option('--history', 'keep every event too, from as far back as can be had')
    .option('--watch [time]', 'go on following, every so often: 30m, 24h', intervalValue)
    .option('--wait', 'where the units of the day are used up, wait until there are more')
    .option('--check', 'change nothing: compare the copy with its snapshot and say what differs')
    .option('--json', 'one JSON object on stdout; with --watch one for each sync that changed something')
    .addHelpText(
      'after',
      '\nExamples:\n  MODELSTATS_API_KEY=msk_… modelstats sync --url https://api.example.com --into copy.duckdb\n' +
        '  modelstats sync --into copy.duckdb --check\n  modelstats sync --into postgres://user@host/db --watch 1h',
    )
    .addHelpText(
      'after',
      '\nExit codes: 0 equal to the newest snapshot, 1 not reached, or with --check not equal, 2 usage or a key that is refused',
    )
    .action(run(ACTIONS.sync));
}
