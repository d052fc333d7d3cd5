import { choiceArgument, defineCommand } from '../../cli/command.ts';
import { bashScript } from './bash.ts';
import { type CommandNode, treeOf } from './command-tree.ts';
import { fishScript } from './fish.ts';
import { zshScript } from './zsh.ts';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

const SCRIPTS: Readonly<Record<Shell, (tree: CommandNode) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

/** The script holds all that there is to complete, made from the commands themselves. */
export const completion = defineCommand({
  name: 'completion',
  description: 'Print the script that completes commands, options and their values in a shell',
  arguments: { shell: choiceArgument('the shell', SHELLS) },
  examples: [
    'modelstats completion fish | source',
    'eval "$(modelstats completion bash)"',
    'eval "$(modelstats completion zsh)"',
  ],
  toleratesBadSettings: true,
  async run({ printResult, program }, { shell }) {
    const script = SCRIPTS[shell](treeOf(program));
    printResult({ shell, script }, script);
    return 0;
  },
});
