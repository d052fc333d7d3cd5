import { allNodes, type CommandNode, flagPatterns, nameOf, type Offer, pathPatterns } from './command-tree.ts';

/** With the meaning of each word. Also works as a file `_modelstats` in a folder of `fpath`. */
export function zshScript(tree: CommandNode): string {
  const nodes = allNodes(tree);
  return `#compdef modelstats
# Completion of modelstats for zsh:  eval "$(modelstats completion zsh)"
_modelstats() {
  local at='' previous="\${words[CURRENT-1]}" word
  local -a commands options
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$at $word" in
      (${pathPatterns(nodes)}) at="\${at:+$at }$word" ;;
    esac
  done
  # --option=value
  if [[ "$PREFIX" = --*=* ]]; then previous="\${PREFIX%%=*}"; compset -P '*='; fi
  case "$at $previous" in
${nodes.flatMap(valueLines).join('\n')}
  esac
  case "$at" in
${nodes.map(wordLine).join('\n')}
  esac
}
if [ "$funcstack[1]" = _modelstats ]; then _modelstats "$@"; else compdef _modelstats modelstats; fi`;
}

function valueLines(node: CommandNode): readonly string[] {
  return node.options.flatMap(({ flags, value }) =>
    value === undefined ? [] : [`    (${flagPatterns(node, flags)}) ${offer(value)}; return ;;`],
  );
}

function wordLine({ words, children, options, argument }: CommandNode): string {
  const entries = options.flatMap(({ flags, about }) => flags.map((flag) => described(flag, about)));
  const begun = `[[ "$PREFIX" = -* ]]`;
  const others = children.length > 0 ? `_describe command commands` : offer(argument);
  const last = argument.kind === 'nothing' && children.length === 0 ? '_describe option options' : others;
  return `    ('${words}')
      commands=(${children.map((child) => described(nameOf(child), child.about)).join(' ')})
      options=(${entries.join(' ')})
      if ${begun}; then _describe option options; else ${last}; fi ;;`;
}

function described(word: string, about: string): string {
  return quoted(`${word.replaceAll(':', '\\:')}:${about.replaceAll('\\', '\\\\')}`);
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

function offer(value: Offer): string {
  switch (value.kind) {
    case 'words':
      return `compadd -- ${value.words.join(' ')}`;
    case 'folders':
      return '_files -/';
    case 'files':
      return '_files';
    case 'nothing':
      return '_message value';
  }
}
