import { AppError } from '../../../runtime/errors.ts';

/** Longest name that fits pages and emails. */
const LENGTH_MAX = 100;
/** Line breaks and marks that change the text direction. */
const NO_LINE = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u;

/**
 * What mail programs turn into links: a scheme, a domain (a dot before a label with two consecutive letters, each with
 * its marks), an IPv4 address.
 */
const ADDRESS = /:\/\/|[\p{L}\p{M}\p{N}-]\.[\p{L}\p{M}\p{N}-]*\p{L}\p{M}*\p{L}|\d\.\d+\.\d+\.\d/u;
/** Dots of other scripts that browsers accept (UTS 46). */
const DOTS = /[\u3002\uff0e\uff61]/g;

/** One line without an address, since invitations carry it to strangers. Throws `usage`. */
export function organizationName(text: string): string {
  const name = text.trim();
  if (name === '' || [...name].length > LENGTH_MAX || NO_LINE.test(name))
    throw new AppError('usage', `the name must be one line of 1 to ${LENGTH_MAX} characters`);
  if (containsAddress(name))
    throw new AppError('usage', 'the name must not contain a web address or domain; write it without the dot');
  return name;
}

/** Also for names stored before these rules. */
function shownName(name: string): string {
  const line = [...name.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' ').trim()];
  return line.length > LENGTH_MAX ? `${line.slice(0, LENGTH_MAX - 1).join('')}…` : line.join('');
}

export function shownProgramName(name: string | null): string {
  return shownName(name ?? '') || 'an unnamed program';
}

/** Rewrites addresses so that no mail program links them. */
export function quotedName(name: string): string {
  const shown = shownName(name);
  if (!containsAddress(shown)) return shown;
  // NFKC turns more characters into dots, such as U+2024.
  const plain = shown.normalize('NFKC').replaceAll(DOTS, '.');
  return plain.replaceAll('://', '[:]//').replaceAll(/(?<=\S)\.(?=\S)/gu, '[.]');
}

/** Ignores invisible characters. */
function containsAddress(text: string): boolean {
  return ADDRESS.test(
    text
      .replaceAll(/\p{Cf}/gu, '')
      .replaceAll(DOTS, '.')
      .normalize('NFKC'),
  );
}
