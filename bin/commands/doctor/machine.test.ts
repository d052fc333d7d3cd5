import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { examine, useNewMachine } from '../../../test/support/doctor/examine.ts';

const machine = useNewMachine();

test.skipIf(process.getuid?.() === 0)('a folder that can not be written fails', async () => {
  await mkdir(join(machine.folder(), 'work'), { mode: 0o500 });
  expect((await examine(machine.env())).of('work_folder')).toMatch(/^fail: .*can't be written/);
});

test('a work folder in the place of a file fails', async () => {
  await writeFile(join(machine.folder(), 'file'), '');
  const { of } = await examine({ ...machine.env(), MODELSTATS_WORK: join(machine.folder(), 'file', 'work') });
  expect(of('work_folder')).toMatch(/^fail: .*not a directory/);
});

test('a work folder that is a link to nothing fails', async () => {
  await symlink('nowhere', join(machine.folder(), 'work'));
  expect((await examine(machine.env())).of('work_folder')).toMatch(
    /^fail: .* is a link to nowhere, which is not there$/,
  );
});

test("DuckDB's memory that is more than the machine has is told", async () => {
  expect((await examine({ ...machine.env(), MODELSTATS_MEMORY_LIMIT: '900TB' })).of('duckdb')).toMatch(
    /^warn: .*900TB of/,
  );
  expect((await examine({ ...machine.env(), MODELSTATS_MEMORY_LIMIT: '100 MiB' })).of('duckdb')).toMatch(/^ok: /);
});
