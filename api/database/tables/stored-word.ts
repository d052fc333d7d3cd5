/** One of a closed set of words; throws where the database holds another. */
export function getWord<const W extends string>(words: readonly W[], text: string): W {
  const word = words.find((candidate) => candidate === text);
  if (word === undefined) throw new Error(`'${text}' is none of ${words.join(', ')}`);
  return word;
}
