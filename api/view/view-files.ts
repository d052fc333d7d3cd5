/**
 * The files of a view, by the path of its database: `<id>.duckdb`, a text for each kind of history, and the feed's text, which may
 * have been begun by a view before it.
 */
import { rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { HISTORY_KINDS } from './tables/history-kinds.ts';
import { type TextsMeta, textFileName } from './text/text-meta.ts';

/** The names of the files that a view is read from. */
export function viewFileNames(path: string, { feed, histories }: TextsMeta): readonly string[] {
  return [path, feed.file, ...Object.values(histories).map(({ file }) => file)].map((name) => basename(name));
}

/** Removes what was written for a view at a path; what it has of another view's stays. */
export async function removeView(path: string): Promise<void> {
  const texts = (['feed', ...HISTORY_KINDS] as const).map((text) => join(dirname(path), textFileName(path, text)));
  for (const file of [path, `${path}.wal`, ...texts]) await rm(file, { force: true });
}
