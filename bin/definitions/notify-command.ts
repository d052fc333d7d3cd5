import type { Command } from 'commander';
import type { RunAction } from '../cli/command-context.ts';
import { ACTIONS } from '../command-actions.ts';

/** Adds the command that tries whether operators would be told. */
export function addNotifyCommand(program: Command, run: RunAction): void {
  program
    .command('notify')
    .description('Look after who is told of nights')
    .command('test')
    .description('Send a test to everybody whom MODELSTATS_NOTIFY names, and tell how each went')
    .option('--json', 'one JSON object on stdout')
    .addHelpText('after', '\nExample:\n  MODELSTATS_NOTIFY=https://hooks.example.com/night modelstats notify test')
    .addHelpText('after', '\nExit codes: 0 all have taken it, 1 one has not, 2 nobody is named')
    .action(run(ACTIONS.testNotify));
}
