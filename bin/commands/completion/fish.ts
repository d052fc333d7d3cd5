import { allNodes, type CommandNode, nameOf, type Offer, type OfferedOption } from './command-tree.ts';

export function fishScript(tree: CommandNode): string {
  const nodes = allNodes(tree);
  return `# Completion of modelstats for fish:  modelstats completion fish | source
function __modelstats_at
    set -l at
    for word in (commandline -opc)[2..-1]
        set -l next (string join ' ' -- $at $word)
        if contains -- $next ${nodes
          .filter(({ words }) => words !== '')
          .map(({ words }) => quoted(words))
          .join(' ')}
            set at $next
        end
    end
    test "$at" = "$argv[1]"
end
complete -c modelstats -f
${nodes.flatMap(linesOf).join('\n')}`;
}

function linesOf(node: CommandNode): readonly string[] {
  const at = `complete -c modelstats -n ${quoted(`__modelstats_at ${quoted(node.words)}`)}`;
  return [
    ...node.children.map((child) => `${at} -a ${quoted(nameOf(child))} -d ${quoted(child.about)}`),
    ...node.options.map((option) => `${at} ${optionOf(option)}`),
    ...(node.argument.kind === 'nothing' ? [] : [`${at} ${offer(node.argument)}`]),
  ];
}

function optionOf({ flags, about, value }: OfferedOption): string {
  const names = flags.map((flag) => (flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`));
  const given = value === undefined ? [] : [value.kind === 'files' ? '-r -F' : '-x', offer(value)];
  return [...names, ...given, `-d ${quoted(about)}`].filter((part) => part !== '').join(' ');
}

function offer(value: Offer): string {
  switch (value.kind) {
    case 'words':
      return `-a ${quoted(value.words.join(' '))}`;
    case 'folders':
      return `-a '(__fish_complete_directories)'`;
    case 'files':
      return '-F';
    case 'nothing':
      return '';
  }
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
