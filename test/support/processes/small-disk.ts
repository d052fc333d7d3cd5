import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmdirSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, test } from 'vitest';

/** A disk of its own that a test can fill to the last byte. */
export interface SmallDisk {
  readonly path: string;
  /** Takes all the room that is left. */
  fill(): Promise<void>;
  /** Gives it back. */
  makeRoom(): Promise<void>;
  /** Takes the disk away; nothing may be open on it. */
  remove(): void;
}

/** Tests on a small disk, which is mounted at once; left out, with the reason, where no disk can be mounted. */
export function describeOnSmallDisk(name: string, mebibytes: number, tests: (disk: SmallDisk) => void): void {
  const disk = mountSmallDisk(mebibytes);
  if (!('reason' in disk)) {
    describe(name, () => {
      afterAll(() => disk.remove());
      tests(disk);
    });
    return;
  }
  console.warn(`left out: ${name}: no disk can be mounted here: ${disk.reason}`);
  describe.skip(`${name} (left out: no disk can be mounted here)`, leftOut);
}

function leftOut(): void {
  test('is left out', () => {});
}

/** Mounts a disk of a few MiB in memory, or says why that can't be done: only root may, and not in every container. */
function mountSmallDisk(mebibytes: number): SmallDisk | { readonly reason: string } {
  const path = mkdtempSync(join(tmpdir(), 'modelstats-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m`, 'tmpfs', path], { stdio: 'pipe' });
  } catch (error) {
    rmdirSync(path);
    return { reason: String(error).trim().replaceAll('\n', ' ') };
  }
  const filler = join(path, 'filler');
  return {
    path,
    fill: () => takeAll(filler),
    makeRoom: () => rm(filler, { force: true }),
    remove: () => {
      execFileSync('umount', [path]);
      rmdirSync(path);
    },
  };
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
