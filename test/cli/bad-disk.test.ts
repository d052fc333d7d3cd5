import { cp, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type CalledCli, callCli, envOf, FAILURE_AS_JSON, type Place, runCli } from '../support/processes/cli.ts';
import { describeOnSmallDisk } from '../support/processes/small-disk.ts';
import { useFolder } from '../support/temporary-folder.ts';
import { Source } from '../worlds/bad-input/good-source.ts';

const YESTERDAY = '2024-03-01';
const TODAY = '2024-03-02';

/** A store and a source with yesterday published, as every test begins with; a first night notes nothing in the work folder. */
const begun = useFolder();
const path = useFolder({ perTest: true });
let place: Place;
let source: Source;

beforeAll(async () => {
  source = await Source.create(begun('source'));
  expect(await night({ store: begun('store'), work: begun('work') }, YESTERDAY)).toMatchObject({ code: 0 });
});
beforeEach(async () => {
  await cp(begun(), path(), { recursive: true });
  place = { store: path('store'), work: path('work') };
  source = new Source(path('source'));
});

const wordsOf = (day: string) => ['nightly', '--source', source.folder, '--day', day, '--json'];

function night(where: Place, day: string): Promise<CalledCli> {
  return callCli(wordsOf(day), { env: envOf(where) });
}

/** One message on stderr, exit code 1, and the store as it was: the same night passes where the disk allows it. */
async function assertFailed(result: CalledCli, message: RegExp): Promise<void> {
  expect(result).toMatchObject({ code: 1, stdout: expect.stringMatching(FAILURE_AS_JSON) });
  expect(result.stderr).toMatch(message);
  expect(result.stderr.trimEnd().split('\n')).toHaveLength(1);
  const { releases } = JSON.parse(await readFile(join(place.store, 'catalog.json'), 'utf8'));
  expect(releases).toMatchObject([{ day: YESTERDAY }]);
}

describe('a work folder that refuses leaves yesterday current and says why:', () => {
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

for (const size of ['40k', '100k']) {
  describeOnSmallDisk(`a work folder on a disk of ${size} that is full`, size, (disk) => {
    test('leaves yesterday current and says why; its report finds room after all', async () => {
      const result = await night({ ...place, work: disk.path }, TODAY);
      await assertFailed(result, /the work folder .* can't be used: .*no space left/i);
      const [run = ''] = await readdir(join(disk.path, 'runs'));
      expect((await readdir(join(disk.path, 'runs', run))).sort()).toEqual(['issues.jsonl', 'report.json']);
      const report = await readFile(join(disk.path, 'runs', run, 'report.json'), 'utf8');
      expect(JSON.parse(report)).toMatchObject({ status: 'failed' });
    });
  });
}
