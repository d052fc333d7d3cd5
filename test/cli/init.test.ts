import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeEach, expect, test } from 'vitest';
import { callCli } from '../support/processes/cli.ts';
import { RECIPES_FOLDER } from '../support/sources/recipe-folder.ts';
import { useFolder } from '../support/temporary-folder.ts';

const path = useFolder({ perTest: true });
let place: string;
beforeEach(async () => {
  place = path('of people'); // Whose folders have blanks.
  await mkdir(place);
});

test('a recipe is copied with settings for it, and the lines that are told next run', async () => {
  const folder = join(place, 'new');
  const made = await callCli(['init', folder, '--json']);
  expect(made).toMatchObject({ code: 0, stderr: '' });
  const envFile = join(folder, '.env');
  expect(JSON.parse(made.stdout)).toEqual({
    folder,
    recipe: 'public',
    source: join(folder, 'source'),
    env_file: envFile,
    variables: [],
    next: expect.arrayContaining([`set -a; . '${envFile}'; set +a`, 'modelstats nightly']),
  });
  expect((await stat(envFile)).mode & 0o777).toBe(0o600);
  expect(await readFile(join(folder, '.gitignore'), 'utf8')).toMatch(/^\*$/m);
  for (const file of await readdir(join(RECIPES_FOLDER, 'public')))
    expect(await readFile(join(folder, 'source', file))).toEqual(await readFile(join(RECIPES_FOLDER, 'public', file)));
  const { stdout } = await promisify(execFile)('sh', ['-ec', `set -a; . '${envFile}'; env`]);
  expect(stdout.split('\n')).toContain(`MODELSTATS_STORE=file:${join(folder, 'store')}`);
});

test('a recipe that needs a key says which', async () => {
  const folder = join(place, 'new');
  const { stdout } = await callCli(['init', folder, '--recipe', 'artificial-analysis']);
  expect(stdout).toContain(`# set ARTIFICIAL_ANALYSIS_API_KEY in ${join(folder, '.env')}`);
  expect(await readFile(join(folder, '.env'), 'utf8')).toContain('\nARTIFICIAL_ANALYSIS_API_KEY=\n');
});

test('a folder with something in it, a file and an unknown recipe are refused, and nothing is written', async () => {
  const full = join(place, 'full');
  await mkdir(full);
  await writeFile(join(full, 'mine'), 'x');
  for (const [words, message] of [
    [[full], `${full} is not empty`],
    [[join(full, 'mine')], `${join(full, 'mine')} can't be used`],
    [
      [join(place, 'new'), '--recipe', 'lmarenas'],
      'there is no recipe lmarenas; choose one of public, artificial-analysis',
    ],
  ] as const) {
    const refused = await callCli(['init', ...words]);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining(message)]);
  }
  expect(await readdir(place, { recursive: true })).toEqual(['full', join('full', 'mine')]);
});
