/** The joined recipe where upstreams are down: from an empty store, and for a week of recorded days whose nights share nothing but it. */
import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { runNight } from '../../pipeline/night/night.ts';
import { verify } from '../../pipeline/upkeep/verify.ts';
import type { Day } from '../../runtime/day.ts';
import { DATASET_NAMES, DATASETS, type DatasetName, mapDatasets } from '../../schemas/datasets.ts';
import * as faults from '../support/fetch/faults.ts';
import { FETCH_SETUP } from '../support/fetch/fetch-setup.ts';
import { makeZip } from '../support/fetch/make-zip.ts';
import { UpstreamServer } from '../support/fetch/upstream-server.ts';
import { HAS_PYTHON } from '../support/has-python.ts';
import { newestOf, readChanges, readOpenIntervals, readRecords, recordsFrom } from '../support/pipeline/published.ts';
import { openTemporaryStore } from '../support/pipeline/temporary-store.ts';
import { verifyDeps } from '../support/pipeline/upkeep.ts';
import { UPSTREAM_DATA } from '../support/real-data.ts';
import {
  askOracleOf,
  differences,
  JOINED,
  listDays,
  listRecorded,
  loadRealDay,
  OFF_BY_DEFAULT,
} from '../support/sources/real-upstream.ts';
import { RECIPES_FOLDER, recipeSettings, writeRecipeDay } from '../support/sources/recipe-folder.ts';
import { filledOf, NEWEST } from '../support/sources/use-recipe.ts';
import { newFolder } from '../support/temporary-folder.ts';

const HAS_REAL_DAYS = UPSTREAM_DATA !== undefined && HAS_PYTHON;

type Row = Readonly<Record<string, unknown>>;
type Rows = readonly Row[];

interface Entry {
  readonly upstream: string;
  readonly url: string;
  readonly file: string;
  readonly unzip?: string;
}

/** Nights of the recipe with all its upstreams on, but that a server on loopback stands in the place of its upstreams. */
async function openWeek() {
  const [store, server] = [await openTemporaryStore({ threads: 2, versions: NEWEST }), await UpstreamServer.start()];
  onTestFinished(async () => {
    await server.close();
    await store.dispose();
  });
  const folder = await newFolder();
  const [source, day] = [join(folder, 'recipe'), join(folder, 'day')];
  await cp(join(RECIPES_FOLDER, 'public'), source, { recursive: true });
  const settings = await recipeSettings('public', { on: OFF_BY_DEFAULT });
  const entries: readonly Entry[] = settings.fetch;
  const fetch = entries.map((entry) => ({ ...entry, url: server.url + pathOf(entry) }));
  await writeFile(join(source, 'source.json'), JSON.stringify({ ...settings, fetch }));
  const expectation = new Expectation();
  return {
    store,
    expectation,
    /** A night in a work folder of its own, on which some upstreams are down. */
    night: async (of: Day, missing: readonly string[]) => {
      await writeRecipeDay('public', day, { files: loadRealDay('public', of), reader: store.reader });
      for (const entry of entries) {
        const { file, unzip } = entry;
        const content = unzip === undefined ? await readFile(join(day, file)) : await zipOf(join(day, unzip));
        server.serve(pathOf(entry), content, { encoding: 'gzip' });
        if (missing.includes(entry.upstream)) server.breakForGood(pathOf(entry), faults.status(503));
        else server.break(pathOf(entry));
      }
      await rm(day, { recursive: true });
      const request = { day: of, source, dryRun: false, accept: false, acceptSuspects: [] };
      const deps = { ...store.deps, workFolder: join(folder, of), clock: () => new Date(`${of}T00:05:00Z`) };
      const result = await runNight(request, { ...deps, fetching: FETCH_SETUP });
      await rm(deps.workFolder, { recursive: true });
      expectation.add(of, missing);
      return result;
    },
    problems: async () =>
      (await verify('all', { ...verifyDeps(store.deps.workFolder), ...store.deps, onPlan: () => {} })).problems,
  };
}

type Week = Awaited<ReturnType<typeof openWeek>>;

function pathOf({ url }: Entry): string {
  const { host, pathname } = new URL(url);
  return `/${host}${pathname}`;
}

async function zipOf(folder: string): Promise<Buffer> {
  const names = await readdir(folder);
  return makeZip(await Promise.all(names.map(async (name) => ({ name, content: await readFile(join(folder, name)) }))));
}

/** What should be in force: an independent reading of all that each upstream gave last, and what was in force of those that are down. */
class Expectation {
  records = mapDatasets((): Rows => []);
  /** Keys of the records that are carried, as they have no point on the day. */
  carried: readonly string[] = [];
  /** The recorded day that each upstream gave last. */
  readonly #given = new Map<string, Day>();

  add(day: Day, missing: readonly string[]): void {
    for (const upstream of JOINED) {
      const newest = listRecorded(upstream).findLast((recorded) => recorded <= day);
      if (!missing.includes(upstream) && newest !== undefined) this.#given.set(upstream, newest);
    }
    const read = askOracleOf(this.#given, day);
    const carried: string[] = [];
    const records = mapDatasets((dataset): Rows => {
      const old = new Map(this.records[dataset].map((row) => [keyOf(dataset, row), row]));
      return read[dataset].flatMap((row) => {
        if (!missing.includes(upstreamOf(dataset, row))) return [row];
        const before = old.get(keyOf(dataset, row));
        if (before !== undefined) carried.push(keyOf(dataset, row));
        return before === undefined ? [] : [before];
      });
    });
    this.carried = carried.sort();
    this.records = { ...records, benchmarks: withCounts(records.benchmarks, { missing, scores: records.scores }) };
  }
}

function keyOf(dataset: DatasetName, row: Row): string {
  return JSON.stringify([dataset, ...DATASETS[dataset].key.map((part) => row[part])]);
}

function upstreamOf(dataset: DatasetName, row: Row): string {
  if (dataset === 'models' || dataset === 'pricing') return String(row['source']);
  if (dataset === 'rankings') return 'lmarena';
  return String(row[dataset === 'scores' ? 'benchmark_id' : 'id']).replace(/\/.*$/, '');
}

/** Benchmarks count the models with a score that is in force; one that is carried counts as it did. */
function withCounts(
  benchmarks: Rows,
  { missing, scores }: { readonly missing: readonly string[]; readonly scores: Rows },
): Rows {
  return benchmarks.map((row) => {
    if (missing.includes(upstreamOf('benchmarks', row))) return row;
    return { ...row, model_count: scores.filter(({ benchmark_id }) => benchmark_id === row['id']).length };
  });
}

async function expectAsRead({ store, expectation }: Week): Promise<void> {
  for (const dataset of DATASET_NAMES) {
    const published = (await readRecords(store, dataset)).map(({ updated_at, ...record }) => filledOf(dataset, record));
    expect([dataset, differences(published, expectation.records[dataset])]).toEqual([dataset, []]);
    expect([dataset, published.length]).toEqual([dataset, expectation.records[dataset].length]);
  }
  const open = recordsFrom(await readOpenIntervals(store, await newestOf(store)));
  const carried = open.filter(({ valid_from }) => valid_from === null);
  expect(carried.map(({ dataset, key }) => JSON.stringify([dataset, key].flat())).sort()).toEqual(expectation.carried);
}

describe.skipIf(!HAS_REAL_DAYS)('sources/public', () => {
  test.each(JOINED.slice(1))(
    'begins without %s: all that others tell is published, and why it is not there is told',
    { timeout: 300_000 },
    async (upstream) => {
      const week = await openWeek();
      const result = await week.night('2026-08-01', [upstream]);
      expect(result).toMatchObject({ status: 'published', problems: [] });
      for (const why of [`^nothing of ${upstream} is captured until `, ` of ${upstream} could not be fetched .* 503`]) {
        expect(result.warnings).toContainEqual(expect.stringMatching(why));
      }
      await expectAsRead(week);
      expect(await week.problems()).toEqual([]);
    },
  );

  const DOWN: readonly (readonly [day: Day, missing: readonly string[]])[] = [
    ['2026-06-30', ['livebench']],
    ['2026-07-05', ['livebench', 'openrouter']],
    ['2026-07-06', ['epoch']],
    ['2026-07-13', ['epoch', 'genai-prices']],
    ['2026-07-18', ['lmarena', 'openrouter']],
    ['2026-07-30', ['litellm']],
    ['2026-08-01', []],
  ];

  test('goes on for a week with upstreams down: their records are carried from the store alone', {
    timeout: 600_000,
  }, async () => {
    const week = await openWeek();
    expect(DOWN.map(([day]) => day)).toEqual(listDays('public'));
    for (const [day, missing] of DOWN) {
      const result = await week.night(day, missing);
      expect([day, result.status, result.problems]).toEqual([day, 'published', []]);
      for (const upstream of missing) {
        const why = ` of ${upstream} could not be fetched from .* 503`;
        expect(result.warnings).toContainEqual(expect.stringMatching(why));
      }
      await expectAsRead(week);
      // LMArena's files are those of the 13th: that they are there again changes nothing.
      if (day === '2026-07-30') {
        expect(await readChanges(week.store, await newestOf(week.store))).not.toContain('"entity_type":"ranking"');
      }
    }
    expect(await week.problems()).toEqual([]);
  });
});
