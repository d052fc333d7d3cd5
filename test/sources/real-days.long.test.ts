/** Nights over recorded files of every upstream, held to what an independent script reads from the same files. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findUnusual } from '../../pipeline/night/check/losses.ts';
import { SourceSettingsSchema } from '../../pipeline/source/source-settings.ts';
import { addDays, type Day } from '../../runtime/day.ts';
import { DATASET_NAMES } from '../../schemas/datasets.ts';
import { HAS_PYTHON } from '../support/has-python.ts';
import { UPSTREAM_DATA } from '../support/real-data.ts';
import {
  askOracle,
  countByOracle,
  differences,
  listDays,
  loadRealDay,
  OFF_BY_DEFAULT,
  PUBLIC_BY_DEFAULT,
} from '../support/sources/real-upstream.ts';
import { RECIPES_FOLDER } from '../support/sources/recipe-folder.ts';
import { useRecipe } from '../support/sources/use-recipe.ts';

/** The recorded files, and Python for the script. */
const HAS_REAL_DAYS = UPSTREAM_DATA !== undefined && HAS_PYTHON;

const DEFAULTS = SourceSettingsSchema.parse({});

const UPSTREAMS = [
  ...['models-dev', 'litellm', 'openrouter', 'genai-prices', 'lmarena', 'epoch', 'livebench', 'artificial-analysis'],
  'public',
  PUBLIC_BY_DEFAULT,
];

/** The recipe of such a name. */
function useUpstream(upstream: string) {
  if (upstream === PUBLIC_BY_DEFAULT) return useRecipe('public');
  return useRecipe(upstream, { on: upstream === 'public' ? OFF_BY_DEFAULT : [] });
}

/** Of the joined recipe as it is shipped the first and the last: the others differ as those with all upstreams on do. */
function daysToRead(upstream: string): readonly Day[] {
  if (!HAS_REAL_DAYS) return [];
  const days = listDays(upstream);
  return upstream === PUBLIC_BY_DEFAULT ? days.filter((_, index) => index % (days.length - 1) === 0) : days;
}

describe.skipIf(!HAS_REAL_DAYS).each(UPSTREAMS)('the recorded days of %s', (upstream) => {
  test.each(daysToRead(upstream))(
    'give the records that an independent reading gives: %s',
    { timeout: 120_000 },
    async (day) => {
      const recipe = await useUpstream(upstream);
      const oracle = askOracle(upstream, day);
      const files = loadRealDay(upstream, day);
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
  test('what is switched off later loses its records in one night, which the guard holds by what is usual', {
    timeout: 300_000,
  }, async () => {
    const recipe = await useRecipe('public', { on: OFF_BY_DEFAULT });
    const last = '2026-08-01';
    const files = loadRealDay('public', last);
    // Enough nights that saw what the last day has to know what is usual.
    for (let day = '2026-07-21'; day < last; day = addDays(day, 1)) await recipe.publish(day, files);
    await recipe.choose({});
    const held = await recipe.nightOf(last, files);
    expect(held).toMatchObject({ status: 'held', problems: [expect.stringMatching(/^scores would /)] });
    await recipe.publish(last, files, { accept: true });
    const oracle = askOracle(PUBLIC_BY_DEFAULT, last);
    for (const dataset of DATASET_NAMES) {
      expect(differences(await recipe.records(dataset), oracle[dataset])).toEqual([]);
      expect(await recipe.records(dataset)).toHaveLength(oracle[dataset].length);
    }
    const { manifest, events } = await recipe.newest();
    const terms = manifest.datasets.flatMap((file) => file.terms ?? []);
    expect(terms.filter(({ redistribution }) => !redistribution)).toEqual([]);
    expect(events.delete).toBeGreaterThan(944);
  });

  test('the faulty day loses no model: it is held by what is usual, and the next ones go on', {
    timeout: 120_000,
  }, async () => {
    const recipe = await useRecipe('artificial-analysis');
    const load = (day: string) => loadRealDay('artificial-analysis', day);
    // No earlier days are recorded: in their place nights that saw what the last good day has.
    for (let day = '2026-02-20'; day <= '2026-03-02'; day = addDays(day, 1)) {
      await recipe.publish(day, load('2026-03-02'));
    }
    expect(await recipe.nightOf('2026-03-03', load('2026-03-03'))).toMatchObject({
      status: 'held',
      problems: [
        'models of artificial-analysis would shrink from 412 to 393 records (by 4.6 %); judging by its last 10 nights, at most 4 % may be lost',
      ],
    });
    await recipe.publish('2026-03-04', load('2026-03-04'));
    await recipe.publish('2026-04-01', load('2026-04-01'));
    expect(await recipe.records('models')).toHaveLength(453);
  });

  test('no other recorded day is held by what is usual, weeks as they lie apart, but for half a year in one', () => {
    // As if nothing had gone in any night before: the least that can be usual.
    const lost = UPSTREAMS.flatMap((upstream) =>
      listDays(upstream).flatMap((day, index, days) => {
        const yesterday = days[index - 1];
        if (yesterday === undefined) return [];
        const [before, after] = [countByOracle(upstream, yesterday), countByOracle(upstream, day)];
        return DATASET_NAMES.flatMap((dataset) => {
          const tonight = { before: before[dataset], after: after[dataset] };
          const quiet = Array<number>(31).fill(tonight.before);
          return tonight.before > 0 && findUnusual(tonight, quiet, DEFAULTS) ? [[upstream, day, dataset]] : [];
        });
      }),
    );
    expect(lost).toEqual([
      ['openrouter', '2026-07-18', 'pricing'],
      ['artificial-analysis', '2026-03-03', 'models'],
    ]);
  });
});

describe.skipIf(!HAS_REAL_DAYS)('the index of recipes', () => {
  const text = readFileSync(join(RECIPES_FOLDER, 'README.md'), 'utf8');
  const [, ...recorded] = readFileSync(join(import.meta.dirname, 'recorded-counts.csv'), 'utf8')
    .trim()
    .split('\n');
  const numbersIn = (cells: readonly string[]) => cells.map((cell) => Number(cell.replaceAll(',', '')));

  test('has the counts of the newest recorded day of each recipe, and recorded-counts.csv those of every day', {
    timeout: 120_000,
  }, () => {
    const numbersOf = (name: string, day: Day) => DATASET_NAMES.map((dataset) => countByOracle(name, day)[dataset]);
    const all = UPSTREAMS.flatMap((name) => listDays(name).map((day) => [name, day, numbersOf(name, day)] as const));
    const newest = UPSTREAMS.map((name) => all.findLast(([other]) => other === name));
    const rows = [...text.matchAll(/^\| \[([a-z-]+)\]\(.*$/gm)].map(([row, name]) => {
      // One row as it is shipped, one with all upstreams on.
      const recipe = name === 'public' && !row.includes('--with') ? PUBLIC_BY_DEFAULT : name;
      return [recipe, numbersIn(row.split('|').slice(6, 11))];
    });
    expect(rows.sort()).toEqual(newest.map((one) => [one?.[0], one?.[2]]).sort());
    expect(all.map(([name, day, counts]) => [name, day, ...counts].join()).sort()).toEqual(recorded.sort());
  });
});
