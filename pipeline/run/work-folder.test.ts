import { spawnSync } from 'node:child_process';
import { lutimes, mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Catalog } from '../../schemas/catalog.ts';
import { smallEntry } from '../../test/support/pipeline/small-store.ts';
import { describeOnSmallDisk } from '../../test/support/processes/small-disk.ts';
import { useFolder } from '../../test/support/temporary-folder.ts';
import { claimWorkFolder, openRunFolder, tidyRuns } from './work-folder.ts';

const NOW = new Date('2026-11-20T03:00:00Z');
const RUN = { day: '2026-11-20', run: '01A' };

const work = useFolder({ perTest: true });

describe('a run folder', () => {
  test('keeps its reports and nothing else when the run ends', async () => {
    const folder = await openRunFolder(work(), RUN);
    await writeFile(join(folder.release, 'file'), 'x');
    await writeFile(join(folder.path, 'report.json'), '{}');
    await folder.removeTemporary();
    expect(await readdir(folder.path)).toEqual(['report.json']);
  });

  test('that cannot be made is reported with its path', async () => {
    await writeFile(work('file'), '');
    await expect(openRunFolder(work('file', 'work'), RUN)).rejects.toMatchObject({
      code: 'store_unavailable',
      message: expect.stringContaining(work('file', 'work')),
    });
  });
});

describeOnSmallDisk('a run folder on a read-only disk', '1m', (disk) => {
  test('is refused for that, not for the folders that are not there', async () => {
    disk.remount('ro');
    await expect(openRunFolder(join(disk.path, 'work'), RUN)).rejects.toMatchObject({
      code: 'store_unavailable',
      message: expect.stringMatching(/the work folder .*\/work can't be used: EROFS/),
    });
  });
});

describe('tidying', () => {
  /** A folder as a killed run leaves it. */
  async function leaveRun(owner: string, writtenAt: Date): Promise<string> {
    const path = work('runs', '2026-11-19.01A');
    await mkdir(join(path, 'tmp', 'release'), { recursive: true });
    await symlink(owner, join(path, 'owner'));
    await lutimes(join(path, 'owner'), writtenAt, writtenAt);
    return path;
  }
  const ownerOf = (pid: number | undefined, host: string) => `${pid}@${host}`;
  const YESTERDAY = new Date(NOW.getTime() - 25 * 60 * 60 * 1000);

  test.each([
    ['of a process that ended', () => ownerOf(spawnSync('true').pid, hostname()), NOW, []],
    ['of this process, which has not begun yet', () => ownerOf(process.pid, hostname()), NOW, []],
    ['of a process that lives', () => ownerOf(process.ppid, hostname()), YESTERDAY, ['owner', 'tmp']],
    ['of another machine, lately', () => ownerOf(1, 'elsewhere'), NOW, ['owner', 'tmp']],
    ['of another machine, long ago', () => ownerOf(1, 'elsewhere'), YESTERDAY, []],
  ])('the temporary files %s', async (_, owner, writtenAt, left) => {
    const path = await leaveRun(owner(), writtenAt);
    await tidyRuns(work(), NOW);
    expect((await readdir(path)).sort()).toEqual(left);
  });

  test('goes on without a work folder', async () => {
    await expect(tidyRuns(work('none'), NOW)).resolves.toBeUndefined();
  });

  test('keeps the reports of the newest thousand runs', async () => {
    const names = Array.from({ length: 1002 }, (_, index) => `2026-11-20.${1000 + index}`);
    for (const name of names) await mkdir(work('runs', name), { recursive: true });
    await tidyRuns(work(), NOW);
    expect(await readdir(work('runs'))).toHaveLength(1000);
    expect(await readdir(work('runs'))).not.toContain('2026-11-20.1001');
  });
});

/** A store whose first release has a hash of this digit, as found by a command. */
function storeOf(digit: string, days = ['2026-06-01']) {
  const releases = days.map((day) => ({ ...smallEntry(day), release_sha256: digit.repeat(64) }));
  const catalog: Catalog = { format: 1, generation: 1, releases };
  return { store: { url: `file:/stores/${digit}` }, catalog };
}
const EMPTY = { store: { url: 'file:/stores/empty' }, catalog: undefined };

test('a work folder takes the first store that has a release, and every later state of it', async () => {
  await claimWorkFolder(work('claimed'), EMPTY);
  await claimWorkFolder(work('claimed'), storeOf('1'));
  await claimWorkFolder(work('claimed'), storeOf('1', ['2026-06-01', '2026-06-02']));
  await claimWorkFolder(work('claimed'), { ...storeOf('1'), store: { url: 'file:/stores/moved' } });
  expect(await readdir(work('claimed'))).toEqual(['store.json']);
});

test.each([
  ['another store', storeOf('2'), 'file:/stores/2 is another store'],
  ['an empty store, as where a disk is not mounted', EMPTY, 'file:/stores/empty is empty'],
])('it refuses %s, and says what to do', async (_, found, why) => {
  await claimWorkFolder(work('claimed'), storeOf('1'));
  const refusal = claimWorkFolder(work('claimed'), found);
  await expect(refusal).rejects.toMatchObject({ code: 'configuration' });
  for (const part of [why, 'file:/stores/1', 'MODELSTATS_WORK']) await expect(refusal).rejects.toThrow(part);
});

test('a note that is garbage is written anew', async () => {
  await claimWorkFolder(work('claimed'), storeOf('1'));
  await writeFile(work('claimed', 'store.json'), '{"identity":');
  await claimWorkFolder(work('claimed'), storeOf('2'));
  await expect(claimWorkFolder(work('claimed'), storeOf('1'))).rejects.toThrow('file:/stores/2');
});

test('a work folder that cannot be written is left to the run to tell', async () => {
  await writeFile(work('claimed'), 'a file');
  await expect(claimWorkFolder(work('claimed', 'below'), storeOf('1'))).resolves.toBeUndefined();
});
