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
    off: [
      { upstream: 'openrouter', terms_url: 'https://openrouter.ai/terms' },
      { upstream: 'livebench', terms_url: 'https://livebench.ai' },
    ],
    next: expect.arrayContaining([`set -a; . '${envFile}'; set +a`, 'modelstats nightly']),
  });
  expect((await stat(envFile)).mode & 0o777).toBe(0o600);
  expect(await readFile(join(folder, '.gitignore'), 'utf8')).toMatch(/^\*$/m);
  for (const file of await readdir(join(RECIPES_FOLDER, 'public')))
    expect(await readFile(join(folder, 'source', file))).toEqual(await readFile(join(RECIPES_FOLDER, 'public', file)));
  const { stdout } = await promisify(execFile)('sh', ['-ec', `set -a; . '${envFile}'; env`]);
  expect(stdout.split('\n')).toContain(`MODELSTATS_STORE=file:${join(folder, 'store')}`);
});

test('upstreams whose data may not be passed on are off, with the reason and how to switch them on', async () => {
  const folder = join(place, 'new');
  const { stdout } = await callCli(['init', folder]);
  expect(stdout).toContain(`${folder} has the recipe public: models.dev, LiteLLM, genai-prices, LMArena, Epoch AI.
Off, because their data may not be passed on without permission:
  openrouter (OpenRouter): no licence stated, https://openrouter.ai/terms
  livebench (LiveBench): no licence stated, https://livebench.ai
After the upstream permits it, remove "off" in ${join(folder, 'source', 'source.json')}, or run: modelstats init OTHER_DIR --with openrouter,livebench
Next:
`);
  const { upstreams } = JSON.parse(await readFile(join(folder, 'source', 'source.json'), 'utf8'));
  for (const { redistribution, off = false } of upstreams) expect(off).toBe(!redistribution);
});

test('--with, repeated or as a list, switches upstreams on in the copy, and changes nothing else of it', async () => {
  const shipped = JSON.parse(await readFile(join(RECIPES_FOLDER, 'public', 'source.json'), 'utf8'));
  const without = (ids: readonly string[]) => ({
    ...shipped,
    upstreams: shipped.upstreams.map(({ off, ...upstream }: { readonly off?: boolean; readonly id: string }) =>
      off === undefined || ids.includes(upstream.id) ? upstream : { ...upstream, off },
    ),
  });
  for (const [name, words, ids] of [
    ['one', ['--with', 'openrouter'], ['openrouter']],
    ['both', ['--with', 'openrouter', '--with', 'livebench'], ['openrouter', 'livebench']],
    ['list', ['--with', 'livebench,openrouter'], ['openrouter', 'livebench']],
  ] as const) {
    const folder = join(place, name);
    const made = await callCli(['init', folder, ...words, '--json']);
    expect(made).toMatchObject({ code: 0, stderr: '' });
    const offIds = ['openrouter', 'livebench'].filter((id) => !ids.some((on) => on === id));
    expect(JSON.parse(made.stdout).off.map(({ upstream }: { readonly upstream: string }) => upstream)).toEqual(offIds);
    const text = await readFile(join(folder, 'source', 'source.json'), 'utf8');
    expect(text).toBe(`${JSON.stringify(without(ids), null, 2)}\n`); // Also the order of its fields.
  }
});

test.each([
  [['--with', 'epoch'], 'epoch: not off in the recipe public; only openrouter, livebench can be switched on'],
  [['--with', 'openrouter,nobody'], 'nobody: not off in the recipe public; only openrouter, livebench'],
  [
    ['--with', 'openrouter', '--recipe', 'epoch'],
    'openrouter: not off in the recipe epoch, which has none that is off',
  ],
])('%j is refused, names what is off, and writes nothing', async (words, message) => {
  const refused = await callCli(['init', join(place, 'new'), ...words]);
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining(message)]);
  expect(await readdir(place)).toEqual([]);
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
