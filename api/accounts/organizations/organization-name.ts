import { AppError } from '../../../runtime/errors.ts';

/** Longer names are none that a page or a mail has room for. */
const LENGTH_MAX = 100;
/** What ends a line, or turns the direction in which the rest of a text is read. */
const NO_LINE = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u;

/**
 * What mail programs make a link of: a scheme, a domain (a dot before a label with two letters in a row, each with its marks), an address
 * of IPv4.
 */
const ADDRESS = /:\/\/|[\p{L}\p{M}\p{N}-]\.[\p{L}\p{M}\p{N}-]*\p{L}\p{M}*\p{L}|\d\.\d+\.\d+\.\d/u;
/** Dots of other scripts, which browsers take for one (UTS 46). */
const DOTS = /[\u3002\uff0e\uff61]/g;

/**
 * The name of an organization as it is kept: one line without an address. Names ride in invitations, which strangers get from our sender.
 * Throws `usage`.
 */
export function organizationName(text: string): string {
  const name = text.trim();
  if (name === '' || [...name].length > LENGTH_MAX || NO_LINE.test(name))
    throw new AppError('usage', `the name must be one line of 1 to ${LENGTH_MAX} characters`);
  if (holdsAddress(name))
    throw new AppError('usage', 'the name must hold no web address and no domain: write it without the dot');
  return name;
}

/** A name as one line of text that a page or a mail has room for, also one that was stored before there were rules. */
function shownName(name: string): string {
  const line = [...name.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' ').trim()];
  return line.length > LENGTH_MAX ? `${line.slice(0, LENGTH_MAX - 1).join('')}…` : line.join('');
}

/** The name that a program gave itself, as it is shown: whatever else it holds could pass for ours. */
export function shownProgramName(name: string | null): string {
  return shownName(name ?? '') || 'a program without a name';
}

/** A name as mails quote it, with its addresses spelled so that no mail program makes a link of them. */
export function quotedName(name: string): string {
  const shown = shownName(name);
  if (!holdsAddress(shown)) return shown;
  // Other characters, too, are a dot to who reads them by their compatibility, such as U+2024.
  const plain = shown.normalize('NFKC').replaceAll(DOTS, '.');
  return plain.replaceAll('://', '[:]//').replaceAll(/(?<=\S)\.(?=\S)/gu, '[.]');
}

/** Whether somebody could take a part of it for an address, whatever can't be seen of it. */
function holdsAddress(text: string): boolean {
  return ADDRESS.test(
    text
      .replaceAll(/\p{Cf}/gu, '')
      .replaceAll(DOTS, '.')
      .normalize('NFKC'),
  );
}
