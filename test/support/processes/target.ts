import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { FileStore } from '../../../storage/file/file-store.ts';
import type { ObjectStore } from '../../../storage/object-store.ts';
import { begun } from './begun.ts';
import { envOf, type RunningCli } from './cli.ts';

/** A store of whichever kind with a work folder: where nights are run, killed and looked at. */
export interface Target {
  readonly env: Readonly<Record<string, string>>;
  readonly work: string;
  /** For a look inside, past whatever stands between the nights and the store. */
  readonly store: ObjectStore;
  /** Resolves when a night begins to write a release, or that file of one; or when its process ends. */
  writesRelease(cli: RunningCli, path?: string): Promise<void>;
}

export async function openFileTarget(folder: string): Promise<Target> {
  const [store, work] = [join(folder, 'store'), join(folder, 'work')];
  const releases = join(store, 'releases');
  await mkdir(releases, { recursive: true }); // so that it can be watched
  return {
    env: envOf({ store, work }),
    work,
    store: new FileStore(store),
    writesRelease: (cli, path) => begun(cli, releases, path),
  };
}
