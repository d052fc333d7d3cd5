import { Argument, Option } from 'commander';
import { wordValue } from './option-values.ts';

/**
 * An option whose values are words of a closed set, which its help and the completion of shells tell.
 * @param parse from the text to the value; default: one of the words
 */
export function choiceOption(
  flags: string,
  description: string,
  words: readonly string[],
  parse: (value: string) => unknown = wordValue(words),
): Option {
  return new Option(flags, description).choices(words).argParser(parse);
}

/** The same for an argument. */
export function choiceArgument(name: string, description: string, words: readonly string[]): Argument {
  return new Argument(name, description).choices(words).argParser(wordValue(words));
}
