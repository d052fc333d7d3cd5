/** How well a model is what somebody wrote: pure, over ids and names. */

/** Why a model may be the one that was meant, from the best reason to the weakest. The second is not seen in the model: whoever asks the API for a name knows it. */
export const REASONS = [
  'the id as written',
  'an upstream calls it exactly so',
  'the id, in another case or punctuation',
  'the id without the provider before the slash',
  'the name, in another case or punctuation',
  'every word is in the id, or in the name',
] as const;
export type Reason = (typeof REASONS)[number];

/** The best reason why a model may be meant; undefined: none. */
export function findReason(
  written: string,
  { id, name }: { readonly id: string; readonly name: string },
): Reason | undefined {
  if (id === written.trim()) return REASONS[0];
  const plain = plainOf(written);
  if (plain === '') return undefined;
  if (plainOf(id) === plain) return REASONS[2];
  if (plainOf(lastPart(id)) === plainOf(lastPart(written))) return REASONS[3];
  if (plainOf(name) === plain || plainOf(name) === plainOf(lastPart(written))) return REASONS[4];
  const words = wordsOf(lastPart(written));
  return [id, name].some((text) => hasAll(words, text)) ? REASONS[5] : undefined;
}

/** Whether a text has all words, in any order: letters anywhere in it, numbers as numbers of their own, each as often. */
function hasAll(words: readonly string[], text: string): boolean {
  const plain = plainOf(text);
  const left = [...wordsOf(text)];
  return words.every((word) => {
    if (!/^\p{N}/u.test(word)) return plain.includes(word);
    const at = left.indexOf(word);
    if (at >= 0) left.splice(at, 1);
    return at >= 0;
  });
}

/** Letters and digits alone, in lower case, of any script. */
export function plainOf(text: string): string {
  return wordsOf(text).join('');
}

/** The words of a text: runs of letters, and runs of digits, in lower case. */
export function wordsOf(text: string): readonly string[] {
  return (
    text
      .normalize('NFKC')
      .toLowerCase()
      .match(/\p{L}+|\p{N}+/gu) ?? []
  );
}

/** What stands behind the last slash: catalogues write the provider before it. */
export function lastPart(text: string): string {
  const part = text.trim().split('/').at(-1) ?? '';
  return part === '' ? text : part;
}
