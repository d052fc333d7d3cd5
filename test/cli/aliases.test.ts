import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { writeDay } from '../support/pipeline/write-day.ts';
import { answersFrom, callCli, envOf } from '../support/processes/cli.ts';

const DAY = '2024-03-01';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'modelstats-aliases-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

function run(...args: readonly string[]) {
  const env = envOf({ store: join(folder, 'store'), work: join(folder, 'work') });
  return callCli(args, { env, cwd: folder });
}

async function publish(): Promise<void> {
  const models = [
    { id: 'gpt-9', name: 'GPT-9', organization: 'OpenAI' },
    { id: 'lmarena:GPT 9', name: 'GPT 9', organization: 'openai' },
    { id: 'mine:gpt-9, new', name: 'GPT-9 new' },
    { id: 'mine:gpt.9', name: 'gpt.9' },
  ];
  await writeDay(join(folder, 'source', DAY), { models });
  const { code } = await run('nightly', '--source', 'source', '--day', DAY, '--json');
  expect(code).toBe(0);
}

test('aliases suggest lists lines for a table of aliases with their reasons, and changes nothing', async () => {
  await publish();
  const before = await readdir(join(folder, 'store'), { recursive: true });
  const { code, stdout } = await run('aliases', 'suggest');
  expect({ code, lines: stdout.trimEnd().split('\n') }).toEqual({
    code: 0,
    lines: [
      'lmarena,GPT 9,gpt-9  the same name, the same maker',
      '1 pair. Look at each: maker, version and effort have to be the same.',
    ],
  });
  expect(await readdir(join(folder, 'store'), { recursive: true })).toEqual(before);
});

test('aliases suggest takes the upstreams whose names a source keeps apart', async () => {
  await publish();
  const { stdout } = await run('aliases', 'suggest', '--upstreams', 'mine', '--json');
  expect(answersFrom(stdout)).toEqual([
    {
      day: DAY,
      suggestions: [
        {
          upstream: 'mine',
          id: 'gpt.9',
          model_id: 'gpt-9',
          name: 'gpt.9',
          model_name: 'GPT-9',
          why: 'the same name, a maker that is not known',
        },
      ],
    },
  ]);
});

test('aliases suggest says that there is nothing to compare before the first night', async () => {
  const { code, stderr } = await run('aliases', 'suggest');
  expect([code, stderr]).toEqual([1, expect.stringContaining('nothing is published yet')]);
});
