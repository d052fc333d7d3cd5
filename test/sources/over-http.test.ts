/** The joined recipe as an operator runs it: nights over recorded days, fetched from a server that stands in for the internet. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { DATASET_NAMES } from '../../schemas/datasets.ts';
import * as faults from '../support/fetch/faults.ts';
import { type Fault, UpstreamServer } from '../support/fetch/upstream-server.ts';
import { HAS_PYTHON } from '../support/has-python.ts';
import { listReleases, readSnapshot } from '../support/pipeline/published.ts';
import { openTemporaryStore } from '../support/pipeline/temporary-store.ts';
import { answersFrom, runCli } from '../support/processes/cli.ts';
import { UPSTREAM_DATA } from '../support/real-data.ts';
import { askOracle, listDays, loadRealDay } from '../support/sources/real-upstream.ts';
import { ServedRecipe } from '../support/sources/served-recipe.ts';

const HAS_REAL_DAYS = UPSTREAM_DATA !== undefined && HAS_PYTHON;

/** The newest of the recorded days: each costs some ten seconds. */
const DAYS = 3;

/** What the upstreams do before they answer on a day. */
const FAULTS: readonly (readonly (readonly [file: string, fault: Fault])[])[] = [
  [
    ['models-dev.json', faults.status(500)],
    ['openrouter.json', faults.htmlPage()],
    ['epoch.zip', faults.cutOffChunks],
  ],
  [
    ['litellm.json', faults.wrongLength(100)],
    ['lmarena/text.parquet', faults.hungUp],
  ],
  [
    ['models-dev.json', faults.cutOff],
    ['genai-prices.json', faults.answerWith('[]')],
    ['livebench/table.csv', faults.status(429, { 'retry-after': '0' })],
  ],
];

describe.skipIf(!HAS_REAL_DAYS)('sources/public over HTTP', () => {
  test('ends, whatever the upstreams did on the way, with what an independent reading of the newest files gives', {
    timeout: 300_000,
  }, async () => {
    const store = await openTemporaryStore();
    const server = await UpstreamServer.start();
    const folder = await mkdtemp(join(tmpdir(), 'modelstats-over-http-'));
    onTestFinished(async () => {
      await server.close();
      await store.dispose();
      await rm(folder, { recursive: true });
    });
    const recipe = await ServedRecipe.make('public', join(folder, 'recipe'), server);
    const archive = join(folder, 'archive');
    const env = { MODELSTATS_STORE: store.url, MODELSTATS_WORK: join(folder, 'work') };
    const run = async (...words: readonly string[]) => {
      const { stdout, stderr } = await runCli([...words, '--json'], { env });
      return answersFrom(stdout)[0] ?? { stderr };
    };
    const days = listDays('public').slice(-DAYS);
    for (const [index, day] of days.entries()) {
      await recipe.serve(loadRealDay('public', day), { work: join(folder, 'day'), reader: store.reader });
      for (const [file, fault] of FAULTS[index] ?? []) server.break(recipe.pathOf(file), fault);
      const fetched = await run('fetch', '--source', recipe.folder, '--into', archive, '--day', day);
      expect(fetched, day).toMatchObject({ status: 'fetched', problems: [], warnings: [] });
      const night = await run('nightly', '--source', archive, '--day', day);
      expect(night, day).toMatchObject({ status: 'published', problems: [] });
    }
    const newest = days.at(-1) ?? '';
    const oracle = askOracle('public', newest);
    const release = (await listReleases(store)).at(-1);
    if (oracle === null || release === undefined) throw new Error(`nothing is known of ${newest}`);
    for (const dataset of DATASET_NAMES) {
      const lines = (await readSnapshot(store, release, dataset)).split('\n').filter((line) => line !== '');
      const records = lines.map((line) => {
        const { updated_at, ...record } = JSON.parse(line);
        return JSON.stringify(record);
      });
      expect([dataset, records.length]).toEqual([dataset, oracle[dataset].length]);
      expect([dataset, records]).toEqual([dataset, oracle[dataset].map((record) => JSON.stringify(record))]);
    }
  });
});
