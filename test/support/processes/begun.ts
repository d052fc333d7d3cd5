import { type FSWatcher, watch } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunningCli } from './cli.ts';

/**
 * Resolves when a process makes a new folder in one that is there: a run's in `work/runs`, a release's in
 * `store/releases`; or when it puts the named file into that folder; or when it ends.
 */
export async function begun({ ended }: RunningCli, parent: string, file?: string): Promise<void> {
  const watchers: FSWatcher[] = [];
  const seen = async () => {
    const folder = join(parent, await nextName(parent, watchers));
    while (file !== undefined) {
      const next = nextName(folder, watchers);
      if ((await readdir(folder)).includes(file)) return;
      await next;
    }
  };
  try {
    await Promise.race([seen(), ended]);
  } finally {
    for (const watcher of watchers) watcher.close();
  }
}

/** The name of the next file that comes into a folder. */
function nextName(folder: string, watchers: FSWatcher[]): Promise<string> {
  return new Promise((resolve) => {
    const watcher = watch(folder, (_, name) => resolve(name ?? ''));
    watchers.push(watcher);
  });
}
