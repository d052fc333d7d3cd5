import { readdir } from 'node:fs/promises';
import { beforeAll, expect, test } from 'vitest';
import { writeDay } from '../support/pipeline/write-day.ts';
import { useCli } from '../support/processes/use-cli.ts';

const DAY = '2024-03-01';
const { path, run, runWith, ask } = useCli();

beforeAll(async () => {
  const models = [
    { id: 'gpt-9', name: 'GPT-9', organization: 'OpenAI' },
    { id: 'lmarena:GPT 9', name: 'GPT 9', organization: 'openai' },
    { id: 'mine:gpt-9, new', name: 'GPT-9 new' },
    { id: 'mine:gpt.9', name: 'gpt.9' },
  ];
  await writeDay(path('source', DAY), { models });
  await ask('nightly', '--source', 'source', '--day', DAY);
});

test('aliases suggest lists lines for a table of aliases with their reasons, and changes nothing', async () => {
  const before = await readdir(path('store'), { recursive: true });
  const { code, stdout } = await run('aliases', 'suggest');
  expect({ code, lines: stdout.trimEnd().split('\n') }).toEqual({
    code: 0,
    lines: [
      'lmarena,GPT 9,gpt-9  the same name, the same maker',
      '1 pair. Check each: maker, version and effort must be the same.',
    ],
  });
  expect(await readdir(path('store'), { recursive: true })).toEqual(before);
});

test('aliases suggest takes the upstreams whose names a source keeps apart', async () => {
  const why = 'the same name, a maker that is not known';
  const names = { id: 'gpt.9', model_id: 'gpt-9', name: 'gpt.9', model_name: 'GPT-9' };
  expect(await ask('aliases', 'suggest', '--upstreams', 'mine')).toEqual({
    day: DAY,
    suggestions: [{ upstream: 'mine', ...names, why }],
  });
});

test('aliases suggest says that there is nothing to compare before the first night', async () => {
  const { code, stderr } = await runWith({ MODELSTATS_STORE: `file:${path('empty')}` }, 'aliases', 'suggest');
  expect([code, stderr]).toEqual([1, expect.stringContaining('nothing is published yet')]);
});
