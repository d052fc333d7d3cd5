import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmdirSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe } from 'vitest';

/** A disk of its own that a test can fill to the last byte; to be asked for inside of tests only. */
export interface SmallDisk {
  readonly path: string;
  /** Mounts it again with an option such as `ro`, or `size=8m`. */
  remount(option: string): void;
  /** Takes all the room that is left. */
  fill(): Promise<void>;
  /** Gives it back. */
  makeRoom(): Promise<void>;
}

/** Tests on a disk in memory of some size, such as `1m`; left out where none can be mounted: only root may, and not in every container. */
export function describeOnSmallDisk(name: string, size: string, tests: (disk: SmallDisk) => void): void {
  describe(name, () => {
    let path: string;
    let problem: unknown;
    const mount = (...words: readonly string[]) => execFileSync('mount', [...words, path], { stdio: 'pipe' });
    beforeAll(() => {
      path = mkdtempSync(join(tmpdir(), 'modelstats-disk-'));
      try {
        mount('-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs');
      } catch (error) {
        problem = error;
      }
    });
    beforeEach((context) => {
      if (problem !== undefined) context.skip(`no disk can be mounted here: ${problem}`);
    });
    afterAll(() => {
      if (problem === undefined) execFileSync('umount', [path]);
      rmdirSync(path);
    });
    const filler = () => join(path, 'filler');
    tests({
      get path() {
        return path;
      },
      remount: (option) => void mount('-o', `remount,${option}`),
      fill: () => takeAll(filler()),
      makeRoom: () => rm(filler(), { force: true }),
    });
  });
}

async function takeAll(filler: string): Promise<void> {
  const file = await open(filler, 'a');
  try {
    for (const block of [Buffer.alloc(64 * 1024), Buffer.alloc(1024), Buffer.alloc(1)])
      await appendUntilFull(file, block);
  } finally {
    await file.close();
  }
}

async function appendUntilFull(file: Awaited<ReturnType<typeof open>>, block: Buffer): Promise<void> {
  try {
    for (;;) await file.appendFile(block);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
  }
}
