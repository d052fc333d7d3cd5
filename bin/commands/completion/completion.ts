import type { Command } from 'commander';
import type { CommandContext } from '../../cli/command-context.ts';
import type { Shell } from '../../cli/shells.ts';
import { bashScript } from './bash.ts';
import { type CommandNode, treeOf } from './command-tree.ts';
import { fishScript } from './fish.ts';
import { zshScript } from './zsh.ts';

export interface CompletionOptions {
  readonly shell: Shell;
  /** Whose commands are completed. */
  readonly program: Command;
  readonly json?: boolean;
}

const SCRIPTS: Readonly<Record<Shell, (tree: CommandNode) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

/**
 * `modelstats completion SHELL`: a script that completes commands, options and their values in that shell. It holds all that there is to
 * complete, made from the commands themselves (decision 0091).
 */
export async function printCompletion(
  { print }: Pick<CommandContext, 'print'>,
  { shell, program, json = false }: CompletionOptions,
): Promise<number> {
  const script = SCRIPTS[shell](treeOf(program));
  print(json ? JSON.stringify({ shell, script }) : script);
  return 0;
}
