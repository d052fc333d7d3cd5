import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { childrenOf, isRunning } from '../support/processes/children.ts';
import { answersFrom, envOf, type Place, runCli, startCli } from '../support/processes/cli.ts';
import { useFolder } from '../support/temporary-folder.ts';

/** Whole nights in processes of their own: a busy machine takes its time. */
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const ENDLESS = `SELECT levenshtein(repeat('a', 300000), repeat('b', 300000)) AS id, 'A' AS name`;

const path = useFolder({ perTest: true });
let place: Place;
let args: string[];

beforeEach(async () => {
  place = { store: path('store'), work: path('work') };
  args = ['nightly', '--source', path('source'), '--json'];
  await mkdir(path('source'));
});

const writeSql = (select: string) => writeFile(path('source', 'source.sql'), `-- models\n${select}\n`);

async function workFiles(): Promise<readonly string[]> {
  return readdir(join(place.work, 'runs'), { recursive: true }).catch(() => []);
}

describe.skipIf(process.platform !== 'linux')(
  'the process of a source.sql ends with its night, and leaves nothing:',
  () => {
    test.each(['SIGKILL', 'SIGTERM', 'SIGINT'] as const)('after %s', async (signal) => {
      await writeSql(ENDLESS);
      const night = startCli(args, { env: envOf(place) });
      await vi.waitFor(async () => expect((await workFiles()).join()).toMatch(/models\.duckdb/), { timeout: 60_000 });
      const [child = 0] = childrenOf(night.child.pid ?? 0);
      expect(isRunning(child)).toBe(true);
      night.child.kill(signal);
      expect(await night.ended).toMatchObject({ signal });
      await vi.waitFor(() => expect(isRunning(child)).toBe(false), { timeout: 10_000 });
      await writeSql(`SELECT 'a' AS id, 'A' AS name`);
      expect(await runCli(args, { env: envOf(place) })).toMatchObject({ code: 0 });
      expect((await workFiles()).filter((name) => /\/(tmp|owner)\b/.test(name))).toEqual([]);
    });
  },
);

test('a SELECT without end is a rejected night with exit code 4, and the next night works', async () => {
  await writeSql(ENDLESS);
  const env = { ...envOf(place), MODELSTATS_SOURCE_SQL_TIMEOUT_SECONDS: '0.5' };
  const { code, stdout, stderr } = await runCli(args, { env });
  expect({ code, stderr }).toEqual({ code: 4, stderr: '' });
  expect(answersFrom(stdout)).toMatchObject([
    {
      status: 'rejected',
      problems: [expect.stringMatching(/source\.sql line 1 \(models\): takes longer than 0\.5 s/)],
    },
  ]);
  await writeSql(`SELECT 'a' AS id, 'A' AS name`);
  expect(await runCli(args, { env })).toMatchObject({ code: 0 });
});
