/** Names of the data on their way into sentences that any reader shows. */
import { isolated, plainText } from '../text/plain-text.ts';

/** Characters of a name; ids have at most 200. Longer: a name fills the list of a reader. */
const LENGTH_MAX = 200;

/** A name or an id inside a sentence: on one line, without controls; what reads from right to left leaves its surroundings alone. */
export function nameInText(text: string): string {
  const characters = [...plainText(text)];
  const isLong = characters.length > LENGTH_MAX;
  return isolated(isLong ? `${characters.slice(0, LENGTH_MAX - 1).join('')}…` : characters.join(''));
}

/** `a`, `a and b`, `a, b and c`; of more than `max` the first ones, `a, b and 7 more`. */
export function listOf(words: readonly string[], { max, count = words.length }: ListOptions): string {
  const shown = words.slice(0, max);
  const more = count - shown.length;
  const parts = more > 0 ? [...shown, `${more.toLocaleString('en-US')} more`] : shown;
  const last = parts.at(-1) ?? '';
  return parts.length < 2 ? last : `${parts.slice(0, -1).join(', ')} and ${last}`;
}

interface ListOptions {
  /** Words at most. */
  readonly max: number;
  /** How many there are in all, where not all are given. */
  readonly count?: number;
}
