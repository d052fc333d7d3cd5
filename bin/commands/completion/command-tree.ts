import type { Command, Option } from 'commander';

/** What a shell offers where a value belongs. */
export type Offer =
  | { readonly kind: 'words'; readonly words: readonly string[] }
  | { readonly kind: 'folders' | 'files' }
  /** It can't be known: an id, a number, a text. */
  | { readonly kind: 'nothing' };

export interface OfferedOption {
  /** `--source`, and `-h` where there is a short one. */
  readonly flags: readonly string[];
  readonly about: string;
  /** Of its value; undefined for an option without one. */
  readonly value: Offer | undefined;
}

/** What can follow the words of a command. */
export interface CommandNode {
  /** Its words, such as `orgs create`; empty for the program itself. */
  readonly words: string;
  readonly about: string;
  readonly children: readonly CommandNode[];
  readonly options: readonly OfferedOption[];
  /** Of its first argument that something can be offered for. */
  readonly argument: Offer;
}

/** The commands below this one and itself, each once, from the top. */
export function allNodes(node: CommandNode): readonly CommandNode[] {
  return [node, ...node.children.flatMap(allNodes)];
}

/** The last of its words: what it is called among its siblings. */
export function nameOf({ words }: CommandNode): string {
  return words.slice(words.lastIndexOf(' ') + 1);
}

/**
 * What bash and zsh match, as they go through the words of a line, to come to a command: the words so far, a space, and the next; of
 * every command below the program, as patterns of `case`.
 */
export function pathPatterns(nodes: readonly CommandNode[]): string {
  const below = nodes.filter(({ words }) => words !== '');
  return below.map(({ words }) => (words.includes(' ') ? `'${words}'` : `' ${words}'`)).join('|');
}

/** What they match behind a command's option, to offer its values: the command's words and any of the flags. */
export function flagPatterns({ words }: CommandNode, flags: readonly string[]): string {
  return flags.map((flag) => `'${words} ${flag}'`).join('|');
}

/** What there is to complete, read from the program as commander knows it. */
export function treeOf(program: Command): CommandNode {
  return nodeOf(program, []);
}

function nodeOf(command: Command, words: readonly string[]): CommandNode {
  const offers = command.registeredArguments.map((argument) => offerOf(argument.name(), argument.argChoices));
  return {
    words: words.join(' '),
    about: command.description(),
    children: command.commands.map((child) => nodeOf(child, [...words, child.name()])),
    options: command.createHelp().visibleOptions(command).map(offeredOption),
    argument: offers.find(({ kind }) => kind !== 'nothing') ?? { kind: 'nothing' },
  };
}

function offeredOption(option: Option): OfferedOption {
  const { long, short, description, required, optional, flags, argChoices } = option;
  const placeholder = /[<[]([^>\].]+)/.exec(flags)?.[1] ?? '';
  return {
    flags: [long, short].filter((flag) => flag != null),
    about: description,
    value: required || optional ? offerOf(placeholder, argChoices) : undefined,
  };
}

/** Placeholders say what they stand for. A store and a copy may be a path behind `file:`, or a plain one. */
const PLACEHOLDERS: Readonly<Record<string, 'folders' | 'files'>> = {
  dir: 'folders',
  store: 'folders',
  file: 'files',
  place: 'files',
};

function offerOf(placeholder: string, choices: readonly string[] | undefined): Offer {
  if (choices !== undefined) return { kind: 'words', words: choices };
  if (placeholder === 'yes|no') return { kind: 'words', words: ['yes', 'no'] };
  const kind = PLACEHOLDERS[placeholder];
  return kind === undefined ? { kind: 'nothing' } : { kind };
}
