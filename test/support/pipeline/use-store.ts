import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { perTest } from '../per-test.ts';
import { type NightOptions, openTemporaryStore, type TemporaryStore } from './temporary-store.ts';
import { linesFromRows } from './write-day.ts';

/** Gives each test of a file an empty store; what it has can be used while a test runs. */
export function useStore(): TemporaryStore {
  return perTest(async () => {
    const store = await openTemporaryStore();
    onTestFinished(store.dispose);
    return store;
  });
}

/** The source of a store's nights, a folder of days beside it. */
export function sourceOf(store: TemporaryStore) {
  const path = (name = '') => join(store.folder, '../given', name);
  return {
    path,
    /** Writes a file, whole or as JSON Lines; the folders on the way are made. */
    write: async (name: string, content: string | Uint8Array | readonly object[]) => {
      await mkdir(dirname(path(name)), { recursive: true });
      await writeFile(path(name), Array.isArray(content) ? linesFromRows(content) : (content as string | Uint8Array));
    },
    night: (day: string, options?: NightOptions) => store.night(path(), day, options),
  };
}
