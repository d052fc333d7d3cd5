import type { Command } from 'commander';
import { choiceArgument } from '../cli/choices.ts';
import type { RunAction } from '../cli/command-context.ts';
import { SHELLS, type Shell } from '../cli/shells.ts';
import { ACTIONS } from '../command-actions.ts';
import type { CompletionOptions } from '../commands/completion/completion.ts';

/** Adds the commands that look after the machine that all others run on. */
export function addMachineCommands(program: Command, run: RunAction): void {
  program
    .command('doctor')
    .description('Check all that a new machine or a broken one needs, and say what to do; change nothing')
    .option('--json', 'one JSON object on stdout')
    .addHelpText('after', '\nExample:\n  modelstats doctor\n\nExit codes: 0 nothing failed, 1 something did')
    .action(run(ACTIONS.doctor, { meetsSettings: true, endsAtOnce: true }));
  program
    .command('config')
    .description('Look after the settings')
    .command('show')
    .description('Show every setting with the value in force and where it comes from; secrets are masked')
    .option('--changed', 'only those that are set')
    .option('--json', 'one JSON object on stdout')
    .addHelpText('after', '\nExample:\n  modelstats config show --changed')
    .action(run(ACTIONS.showConfig));
  program
    .command('completion')
    .description('Print the script that completes commands, options and their values in a shell')
    .addArgument(choiceArgument('<shell>', 'the shell', SHELLS))
    .option('--json', 'one JSON object on stdout')
    .addHelpText(
      'after',
      '\nExamples:\n  modelstats completion fish | source\n  eval "$(modelstats completion bash)"\n  eval "$(modelstats completion zsh)"',
    )
    .action((shell: Shell, options: Omit<CompletionOptions, 'shell' | 'program'>) =>
      run(ACTIONS.printCompletion, { meetsSettings: true })({ ...options, shell, program }),
    );
}
