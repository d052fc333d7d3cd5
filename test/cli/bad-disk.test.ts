import { execFileSync } from 'node:child_process';
import { cp, mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type CalledCli, callCli, envOf, FAILURE_AS_JSON, type Place, runCli } from '../support/processes/cli.ts';
import { useFolder } from '../support/temporary-folder.ts';
import { Source } from '../worlds/bad-input/good-source.ts';

const YESTERDAY = '2024-03-01';
const TODAY = '2024-03-02';

/** A store and a source with yesterday published, as every test begins with; a first night notes nothing in the work folder. */
const begun = useFolder();
const path = useFolder({ perTest: true });
let place: Place;
let source: Source;
let mounted: string[];

beforeAll(async () => {
  source = await Source.create(begun('source'));
  expect(await night({ store: begun('store'), work: begun('work') }, YESTERDAY)).toMatchObject({ code: 0 });
});
beforeEach(async () => {
  await cp(begun(), path(), { recursive: true });
  place = { store: path('store'), work: path('work') };
  source = new Source(path('source'));
  mounted = [];
});
afterEach(() => {
  for (const disk of mounted) execFileSync('umount', [disk]);
});

const wordsOf = (day: string) => ['nightly', '--source', source.folder, '--day', day, '--json'];

function night(where: Place, day: string): Promise<CalledCli> {
  return callCli(wordsOf(day), { env: envOf(where) });
}

/** Puts a small disk on a new folder; false where that is not allowed. */
async function mountDisk(disk: string, size: string): Promise<boolean> {
  await mkdir(disk, { recursive: true });
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', disk], { stdio: 'ignore' });
    mounted.push(disk);
    return true;
  } catch {
    return false;
  }
}

/** One message on stderr, exit code 1, and the store as it was: the same night passes where the disk allows it. */
async function assertFailed(result: CalledCli, message: RegExp, where: Place = place): Promise<void> {
  expect(result).toMatchObject({ code: 1, stdout: expect.stringMatching(FAILURE_AS_JSON) });
  expect(result.stderr).toMatch(message);
  expect(result.stderr.trimEnd().split('\n')).toHaveLength(1);
  const { releases } = JSON.parse(await readFile(join(where.store, 'catalog.json'), 'utf8'));
  expect(releases).toMatchObject([{ day: YESTERDAY }]);
}

async function assertReportKept(work: string): Promise<void> {
  const [run = ''] = await readdir(join(work, 'runs'));
  expect((await readdir(join(work, 'runs', run))).sort()).toEqual(['issues.jsonl', 'report.json']);
  expect(JSON.parse(await readFile(join(work, 'runs', run, 'report.json'), 'utf8'))).toMatchObject({
    status: 'failed',
  });
}

describe('a store that refuses leaves yesterday current and says why:', () => {
  test('a path that leads through a file', async () => {
    const result = await night({ ...place, store: join(source.folder, 'models.jsonl', 'store') }, TODAY);
    await assertFailed(
      result,
      /cannot write .* in the store file:.*models\.jsonl\/store: a part of the path is a file/,
    );
  });

  test('a read-only disk', async (context) => {
    const disk = path('disk');
    if (!(await mountDisk(disk, '8m'))) context.skip('needs to be allowed to mount a small disk');
    await cp(place.store, disk, { recursive: true });
    execFileSync('mount', ['-o', 'remount,ro', disk]);
    const where = { store: disk, work: path('other-work') };
    await assertFailed(await night(where, TODAY), /cannot write .* in the store file:.*: it is read-only/, where);
    await assertReportKept(where.work);
  });

  test('a full disk, until there is room', async (context) => {
    const disk = path('disk');
    if (!(await mountDisk(disk, '128k'))) context.skip('needs to be allowed to mount a small disk');
    await cp(place.store, disk, { recursive: true });
    const where = { store: disk, work: path('other-work') };
    await assertFailed(await night(where, TODAY), /cannot write .* in the store file:.*: the disk is full/, where);
    execFileSync('mount', ['-o', 'remount,size=8m', disk]);
    expect(await night(where, TODAY)).toMatchObject({ code: 0, stderr: '' });
  });
});

describe('a work folder that refuses leaves yesterday current and says why:', () => {
  test('a path that leads through a file', async () => {
    const result = await night({ ...place, work: join(source.folder, 'models.jsonl', 'work') }, TODAY);
    await assertFailed(result, /the work folder .*models\.jsonl\/work can't be used: ENOTDIR/);
  });

  test('a read-only disk', async (context) => {
    const disk = path('disk');
    if (!(await mountDisk(disk, '1m'))) context.skip('needs to be allowed to mount a small disk');
    execFileSync('mount', ['-o', 'remount,ro', disk]);
    const result = await night({ ...place, work: join(disk, 'work') }, TODAY);
    await assertFailed(result, /the work folder .*disk\/work can't be used: EROFS/);
  });

  test.for(['40k', '100k'])('a full disk of %s, whose report finds room after all', async (size, context) => {
    const disk = path('disk');
    if (!(await mountDisk(disk, size))) context.skip('needs to be allowed to mount a small disk');
    const result = await night({ ...place, work: disk }, TODAY);
    await assertFailed(result, /the work folder .*disk can't be used: .*no space left/i);
    await assertReportKept(disk);
  });

  test('a limit on the size of files', async () => {
    const result = await runCli(wordsOf(TODAY), { env: envOf(place), shell: 'ulimit -f 2' });
    await assertFailed(result, /File too large|EFBIG|larger than the system allows/i);
  });

  test('a folder that is not there is made', async () => {
    const work = path('not', 'there', 'yet');
    expect(await night({ ...place, work }, TODAY)).toMatchObject({ code: 0, stderr: '' });
    expect((await readdir(work)).sort()).toEqual(['runs', 'store.json']);
  });
});
