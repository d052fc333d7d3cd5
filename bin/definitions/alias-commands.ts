import type { Command } from 'commander';
import type { RunAction } from '../cli/command-context.ts';
import { textValue } from '../cli/option-values.ts';
import { ACTIONS } from '../command-actions.ts';

/** Whose names `sources/public` keeps apart until an alias joins them. */
const JOINED_UPSTREAMS = 'epoch,genai-prices,litellm,livebench,lmarena';

/** Adds the command that helps with the table of aliases. */
export function addAliasCommands(program: Command, run: RunAction): void {
  program
    .command('aliases')
    .description('Look after the names of models')
    .command('suggest')
    .description('List names of the newest snapshot that may be one model, for a person to decide; change nothing')
    .option('--upstreams <list>', 'whose names are kept apart, as <upstream>:<name>', textValue, JOINED_UPSTREAMS)
    .option('--json', 'one JSON object on stdout')
    .addHelpText('after', '\nExample:\n  modelstats aliases suggest > suggested.csv')
    .action(run(ACTIONS.suggestAliases));
}
