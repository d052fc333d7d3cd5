import type { Command, Option } from 'commander';

export type Offer =
  | { readonly kind: 'words'; readonly words: readonly string[] }
  | { readonly kind: 'folders' | 'files' }
  /** Unknown: an id, a number, a text. */
  | { readonly kind: 'nothing' };

export interface OfferedOption {
  /** `--source`, and `-h` if there is a short one. */
  readonly flags: readonly string[];
  readonly about: string;
  /** Undefined for an option without a value. */
  readonly value: Offer | undefined;
}

export interface CommandNode {
  /** Such as `orgs create`; empty for the program. */
  readonly words: string;
  readonly about: string;
  readonly children: readonly CommandNode[];
  readonly options: readonly OfferedOption[];
  /** Of its first argument with an offer. */
  readonly argument: Offer;
}

export function allNodes(node: CommandNode): readonly CommandNode[] {
  return [node, ...node.children.flatMap(allNodes)];
}

export function nameOf({ words }: CommandNode): string {
  return words.slice(words.lastIndexOf(' ') + 1);
}

/** `case` patterns with which bash and zsh reach a command: the words so far and the next. */
export function pathPatterns(nodes: readonly CommandNode[]): string {
  const below = nodes.filter(({ words }) => words !== '');
  return below.map(({ words }) => (words.includes(' ') ? `'${words}'` : `' ${words}'`)).join('|');
}

/** `case` patterns of an option. */
export function flagPatterns({ words }: CommandNode, flags: readonly string[]): string {
  return flags.map((flag) => `'${words} ${flag}'`).join('|');
}

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

/** A store or copy may be a plain path, or one after `file:`. */
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
