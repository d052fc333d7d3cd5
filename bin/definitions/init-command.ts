import type { Command } from 'commander';
import type { RunAction } from '../cli/command-context.ts';
import { textValue } from '../cli/option-values.ts';
import { ACTIONS } from '../command-actions.ts';
import type { InitOptions } from '../commands/init/init.ts';

/** Adds the command that begins. */
export function addInitCommand(program: Command, run: RunAction): void {
  program
    .command('init')
    .description(
      'Make a folder from which nights of public upstreams can be run: a recipe, settings, and what to run next',
    )
    .argument('<dir>', 'a new folder, or an empty one')
    .option('--recipe <name>', 'which recipe (default: asked on a terminal, else public)', textValue)
    .option('--json', 'one JSON object on stdout, and nothing is asked')
    .addHelpText('after', '\nExample:\n  modelstats init ./modelstats --recipe public')
    .action((dir: string, options: Omit<InitOptions, 'dir'>) => run(ACTIONS.init)({ ...options, dir }));
}
