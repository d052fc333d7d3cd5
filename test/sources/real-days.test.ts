/** Nights over recorded files of every upstream, held to what an independent script reads from the same files. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { DATASET_NAMES } from '../../schemas/datasets.ts';
import { HAS_PYTHON } from '../support/has-python.ts';
import { UPSTREAM_DATA } from '../support/real-data.ts';
import {
  askOracle,
  countByOracle,
  listDays,
  loadRealDay,
  type OracleCounts,
} from '../support/sources/real-upstream.ts';
import { RECIPES_FOLDER } from '../support/sources/recipe-folder.ts';
import { useRecipe } from '../support/sources/use-recipe.ts';

/** The recorded files, and Python for the script. */
const HAS_REAL_DAYS = UPSTREAM_DATA !== undefined && HAS_PYTHON;

const UPSTREAMS = [
  ...['models-dev', 'litellm', 'openrouter', 'genai-prices', 'lmarena', 'epoch', 'livebench', 'artificial-analysis'],
  'public',
];

/** The first lines that only one of two lists has. */
function differences(ours: readonly object[], theirs: readonly object[]): readonly string[] {
  const [left, right] = [ours, theirs].map((rows) => new Set(rows.map((row) => JSON.stringify(row))));
  const only = (these: Set<string> | undefined, others: Set<string> | undefined) =>
    [...(these ?? [])].filter((line) => !others?.has(line)).slice(0, 5);
  return [...only(left, right).map((line) => `night: ${line}`), ...only(right, left).map((line) => `oracle: ${line}`)];
}

describe.skipIf(!HAS_REAL_DAYS).each(UPSTREAMS)('the recorded days of %s', (upstream) => {
  test.each(HAS_REAL_DAYS ? listDays(upstream) : [])(
    'give the records that an independent reading gives: %s',
    { timeout: 120_000 },
    async (day) => {
      const recipe = await useRecipe(upstream);
      const oracle = askOracle(upstream, day);
      const files = loadRealDay(upstream, day);
      if (oracle === null) {
        expect((await recipe.nightOf(day, files)).status).toBe('rejected');
        return;
      }
      await recipe.publish(day, files);
      for (const dataset of DATASET_NAMES) {
        const records = await recipe.records(dataset);
        expect(differences(records, oracle[dataset])).toEqual([]);
        expect(records).toHaveLength(oracle[dataset].length);
      }
    },
  );
});

describe.skipIf(!HAS_REAL_DAYS)('recorded days in a row', () => {
  test('prices a million times too low are held back, and believed when they are right again', async () => {
    const recipe = await useRecipe('models-dev');
    await recipe.publish('2026-03-01', loadRealDay('models-dev', '2026-03-01'));
    const wrong = await recipe.publish('2026-04-01', loadRealDay('models-dev', '2026-04-01'));
    expect(wrong).toMatchObject({ suspects_pending: 2, quarantined: 0 });
    await recipe.publish('2026-05-01', loadRealDay('models-dev', '2026-05-01'));
    expect(await recipe.suspects()).toEqual([]);
    const nano = (await recipe.records('pricing')).find(
      ({ model_id, provider }) => model_id === 'openai/gpt-5.4-nano' && provider === 'openrouter',
    );
    expect(nano).toMatchObject({ input_per_million: 0.2, output_per_million: 1.25 });
  });

  test('of the line that became short nothing is published, and nothing else is lost', async () => {
    const recipe = await useRecipe('livebench');
    await recipe.publish('2026-03-23', loadRealDay('livebench', '2026-03-23'));
    for (const day of ['2026-04-28', '2026-05-28'] as const) {
      expect(await recipe.publish(day, loadRealDay('livebench', day))).toMatchObject({ quarantined: 8 });
    }
    expect(await recipe.records('models')).toHaveLength(119);
  });

  test('the faulty day loses no model: it is rejected, and the next one goes on', async () => {
    const recipe = await useRecipe('artificial-analysis');
    const load = (day: string) => loadRealDay('artificial-analysis', day);
    await recipe.publish('2026-03-02', load('2026-03-02'));
    expect((await recipe.nightOf('2026-03-03', load('2026-03-03'))).status).toBe('rejected');
    await recipe.publish('2026-03-04', load('2026-03-04'));
    expect(await recipe.records('models')).toHaveLength(416);
  });
});

describe.skipIf(!HAS_REAL_DAYS)('the index of recipes', () => {
  const text = readFileSync(join(RECIPES_FOLDER, 'README.md'), 'utf8');
  const numbersIn = (cells: readonly string[]) => cells.map((cell) => Number(cell.replaceAll(',', '')));

  test('tells the counts of the newest recorded day of each recipe, and of every day', { timeout: 120_000 }, () => {
    const byDay = countByOracle();
    const newest = Object.entries(byDay).map(([name, days]) => [name, numbersOf(Object.values(days).at(-1))]);
    const rows = [...text.matchAll(/^\| \[([a-z-]+)\]\(.*$/gm)];
    expect(rows.map(([row, name]) => [name, numbersIn(row.split('|').slice(6, 11))]).sort()).toEqual(newest.sort());
    const all = Object.entries(byDay).flatMap(([name, days]) =>
      Object.entries(days).map(([day, counts]) => [name, day, counts === null ? 'refused' : numbersOf(counts)]),
    );
    const told = [...text.matchAll(/^\| ([a-z-]+) \| (\d{4}-\d{2}-\d{2}) \|(.*)\|$/gm)].map(
      ([, name, day, cells = '']) => [name, day, cells.includes('refused') ? 'refused' : numbersIn(cells.split('|'))],
    );
    expect(told.sort()).toEqual(all.sort());
  });
});

function numbersOf(counts: OracleCounts | null | undefined): readonly number[] {
  return DATASET_NAMES.map((dataset) => counts?.[dataset]?.rows ?? 0);
}
