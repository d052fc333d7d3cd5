import { allNodes, type CommandNode, flagPatterns, nameOf, type Offer, pathPatterns } from './command-tree.ts';

/** For bash from 3.2 on, which macOS has. Needs neither the bash-completion package nor a start of this program. */
export function bashScript(tree: CommandNode): string {
  const nodes = allNodes(tree);
  return `# Completion of modelstats for bash:  eval "$(modelstats completion bash)"
_modelstats() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" at='' words='' i
  COMPREPLY=()
  # Bash cuts --option=value at the sign.
  if [ "$current" = '=' ]; then current=''
  elif [ "$previous" = '=' ]; then previous="\${COMP_WORDS[COMP_CWORD-2]}"; fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$at \${COMP_WORDS[i]}" in
      ${pathPatterns(nodes)})
        at="\${at:+$at }\${COMP_WORDS[i]}" ;;
    esac
  done
  case "$at $previous" in
${nodes.flatMap(valueLines).join('\n')}
  esac
  case "$at" in
${nodes.map(wordLine).join('\n')}
  esac
  _modelstats_words "$words"
}
_modelstats_words() {
  local line
  while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -W "$1" -- "$current")
}
_modelstats_paths() {
  local line
  compopt -o filenames 2>/dev/null
  while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen "$1" -- "$current")
}
complete -F _modelstats modelstats`;
}

function valueLines(node: CommandNode): readonly string[] {
  return node.options.flatMap(({ flags, value }) =>
    value === undefined ? [] : [`    ${flagPatterns(node, flags)}) ${offer(value)}; return ;;`],
  );
}

/** Options are offered where one is begun, or where nothing else is known. */
function wordLine({ words, children, options, argument }: CommandNode): string {
  const flags = options.flatMap((option) => option.flags).join(' ');
  const others = children.length > 0 ? `words='${children.map(nameOf).join(' ')}'` : offered(argument, flags);
  return `    '${words}') case "$current" in -*) words='${flags}' ;; *) ${others} ;; esac ;;`;
}

function offered(argument: Offer, flags: string): string {
  return argument.kind === 'nothing' ? `words='${flags}'` : `${offer(argument)}; return`;
}

function offer(value: Offer): string {
  switch (value.kind) {
    case 'words':
      return `_modelstats_words '${value.words.join(' ')}'`;
    case 'folders':
      return '_modelstats_paths -d';
    case 'files':
      return '_modelstats_paths -f';
    case 'nothing':
      return ':';
  }
}
