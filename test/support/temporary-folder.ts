import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, onTestFinished } from 'vitest';

/** Paths in a folder that goes away with the tests of a file or a `describe`; or in a new one for each of these tests. */
export function useFolder({ perTest = false } = {}): (...names: readonly string[]) => string {
  const [before, after] = perTest ? [beforeEach, afterEach] : [beforeAll, afterAll];
  let folder = '';
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'modelstats-test-'));
  });
  after(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  return (...names) => join(folder, ...names);
}

/** A folder that goes away with the test that runs. */
export async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'modelstats-test-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}
