import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach } from 'vitest';

/** Gives each test of a file a folder that is empty when it begins; tells its path, or that of a name below it. */
export function useTestFolder(): (...names: readonly string[]) => string {
  let folder = '';
  beforeEach(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'modelstats-test-')));
    return () => rm(folder, { recursive: true, force: true });
  });
  return (...names) => join(folder, ...names);
}
