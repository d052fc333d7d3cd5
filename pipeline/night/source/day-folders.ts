import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Day, isDay } from '../../../runtime/day.ts';
import { AppError, messageFromError } from '../../../runtime/errors.ts';
import { isFile } from '../../source/source-paths.ts';

const DATED = /^\d{4}-\d{2}-\d{2}$/;
/** What somebody may have meant as a day. */
const DAY_LIKE = /^\d{4}[-_.]?\d{1,2}[-_.]?\d{1,2}$/;

/**
 * The dated sub-folders of a source, oldest first; rejects where one is not a calendar day. A dated link counts, unless it is
 * one to a file: where it leads nowhere, or outside, the night of that day says so, and other days go on.
 */
export async function listSourceDays(root: string): Promise<readonly Day[]> {
  const days: string[] = [];
  for (const entry of await readFolder(root)) {
    if (!DATED.test(entry.name)) continue;
    if (entry.isDirectory() || (entry.isSymbolicLink() && !(await isFile(root, join(root, entry.name)))))
      days.push(entry.name);
  }
  const impossible = days.filter((day) => !isDay(day));
  if (impossible.length > 0) {
    throw new AppError(
      'source_rejected',
      `${root}: ${impossible.join(', ')} ${impossible.length === 1 ? 'is not a calendar day' : 'are not calendar days'}`,
    );
  }
  return days.sort();
}

/** Sub-folders of a source that look like days and are not named `YYYY-MM-DD`, so that they are none. */
export async function listDayLikeFolders(root: string): Promise<readonly string[]> {
  const entries = await readFolder(root);
  return entries
    .filter((entry) => entry.isDirectory() && DAY_LIKE.test(entry.name) && !DATED.test(entry.name))
    .map(({ name }) => name)
    .sort();
}

/** What is said of folders that look like days. */
export function describeDayLike(names: readonly string[]): string {
  const shown = names.slice(0, NAMES_SHOWN_MAX).join(', ') + (names.length > NAMES_SHOWN_MAX ? ', …' : '');
  return `${shown} ${names.length === 1 ? 'is' : 'are'} not read: folders of days are named YYYY-MM-DD`;
}

/** Names that a message lists: enough to see what sort they are. */
const NAMES_SHOWN_MAX = 5;

/** What a folder of a source holds; rejects with `source_rejected`. */
export async function readFolder(folder: string) {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (cause) {
    throw new AppError('source_rejected', `the source ${folder} can't be read: ${messageFromError(cause)}`, { cause });
  }
}
