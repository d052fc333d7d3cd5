const LENGTH_MAX = 100;

/** The name that a program gave itself, as one line of text: whatever else it holds could pass for ours. */
export function shownName(name: string | null): string {
  const line = (name ?? '').replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' ').trim();
  if (line === '') return 'a program without a name';
  const characters = [...line];
  return characters.length <= LENGTH_MAX ? line : `${characters.slice(0, LENGTH_MAX - 1).join('')}…`;
}
