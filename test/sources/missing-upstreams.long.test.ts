/** The joined recipe where upstreams are down: from an empty store, and for a week of recorded days whose nights share nothing but it. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { runNight } from '../../pipeline/night/night.ts';
import { loadSettings } from '../../pipeline/source/source-settings.ts';
import { verify } from '../../pipeline/upkeep/verify.ts';
import type { Day } from '../../runtime/day.ts';
import { DATASET_NAMES, DATASETS, type DatasetName, mapDatasets } from '../../schemas/datasets.ts';
import * as faults from '../support/fetch/faults.ts';
import { FETCH_SETUP } from '../support/fetch/fetch-setup.ts';
import { UpstreamServer } from '../support/fetch/upstream-server.ts';
import { HAS_PYTHON } from '../support/has-python.ts';
import {
  listReleases,
  readChanges,
  readOpenIntervals,
  readRelease,
  readSnapshot,
} from '../support/pipeline/published.ts';
import { openTemporaryStore, type TemporaryStore } from '../support/pipeline/temporary-store.ts';
import { upkeepDeps } from '../support/pipeline/upkeep.ts';
import { UPSTREAM_DATA } from '../support/real-data.ts';
import {
  askOracleOf,
  JOINED,
  listDays,
  listRecorded,
  loadRealDay,
  type OracleRecords,
} from '../support/sources/real-upstream.ts';
import { ServedRecipe } from '../support/sources/served-recipe.ts';
import { NEWEST } from '../support/sources/use-recipe.ts';
import { newFolder } from '../support/temporary-folder.ts';

const HAS_REAL_DAYS = UPSTREAM_DATA !== undefined && HAS_PYTHON;

/** Models, benchmarks, scores, rankings and prices of the first night without an upstream: captured, and carried, of which there is none. */
const WITHOUT: Readonly<Record<string, string>> = {
  openrouter: '6161 + 0, 56 + 0, 3526 + 0, 21771 + 0, 7246 + 0',
  litellm: '3958 + 0, 56 + 0, 3526 + 0, 21771 + 0, 5175 + 0',
  'genai-prices': '5489 + 0, 56 + 0, 3526 + 0, 21771 + 0, 6495 + 0',
  lmarena: '5686 + 0, 56 + 0, 3526 + 0, 0 + 0, 7292 + 0',
  epoch: '5711 + 0, 8 + 0, 944 + 0, 21771 + 0, 7292 + 0',
  livebench: '6102 + 0, 48 + 0, 2582 + 0, 21771 + 0, 7292 + 0',
};

type Rows = readonly Readonly<Record<string, unknown>>[];

/** Nights of the recipe, each in a work folder of its own, with what an independent reading expects of them. */
class Week {
  readonly store: TemporaryStore;
  readonly #folder: string;
  readonly #server: UpstreamServer;
  readonly #recipe: ServedRecipe;
  /** The recorded day that each upstream gave last. */
  readonly #given = new Map<string, Day>();
  #expected: OracleRecords = mapDatasets(() => []);

  private constructor(store: TemporaryStore, folder: string, server: UpstreamServer, recipe: ServedRecipe) {
    this.store = store;
    this.#folder = folder;
    this.#server = server;
    this.#recipe = recipe;
  }

  static async open(): Promise<Week> {
    const [store, server] = [await openTemporaryStore({ threads: 2, versions: NEWEST }), await UpstreamServer.start()];
    const folder = await newFolder();
    onTestFinished(async () => {
      await server.close();
      await store.dispose();
    });
    return new Week(store, folder, server, await ServedRecipe.make('public', join(folder, 'recipe'), server));
  }

  async night(day: Day, missing: readonly string[]) {
    await this.#recipe.serve(loadRealDay('public', day), {
      work: join(this.#folder, 'day'),
      reader: this.store.reader,
    });
    const { fetch } = await loadSettings(join(this.#recipe.folder, 'source.json'));
    for (const { upstream, file } of fetch) {
      const path = this.#recipe.pathOf(file);
      if (missing.includes(upstream)) this.#server.breakForGood(path, faults.status(503));
      else this.#server.break(path);
    }
    const workFolder = join(this.#folder, `work-${day}`);
    const request = { day, source: this.#recipe.folder, dryRun: false, accept: false, acceptSuspects: [] };
    const clock = () => new Date(`${day}T00:05:00Z`);
    const result = await runNight(request, { ...this.store.deps, workFolder, clock, fetching: FETCH_SETUP });
    await rm(workFolder, { recursive: true });
    this.#expect(day, missing);
    return result;
  }

  /** What is in force of a dataset, as it is published and as it should be. */
  async records(dataset: DatasetName): Promise<{ readonly published: Rows; readonly expected: Rows }> {
    const lines = (await readSnapshot(this.store, await this.#newest(), dataset))
      .split('\n')
      .filter((line) => line !== '');
    const published = lines.map((line) => {
      const { updated_at, ...record } = JSON.parse(line);
      return record;
    });
    return { published, expected: this.#expected[dataset] };
  }

  /** Of each dataset, how many records have a point of the newest day, and how many are carried. */
  async figures(): Promise<string> {
    const lines = (await readOpenIntervals(this.store, await this.#newest())).split('\n').filter((line) => line !== '');
    const open = lines.map((line): { readonly dataset: string; readonly valid_from: string | null } =>
      JSON.parse(line),
    );
    const told = DATASET_NAMES.map((dataset) => {
      const own = open.filter((one) => one.dataset === dataset);
      const carried = own.filter(({ valid_from }) => valid_from === null).length;
      return `${own.length - carried} + ${carried}`;
    });
    return told.join(', ');
  }

  async events(): Promise<readonly { readonly entity_type: string; readonly op: string }[]> {
    const text = await readChanges(this.store, await this.#newest());
    return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
  }

  async release() {
    return readRelease(this.store, await this.#newest());
  }

  async #newest() {
    const entry = (await listReleases(this.store)).at(-1);
    if (entry === undefined) throw new Error('nothing is published');
    return entry;
  }

  /**
   * The rows of upstreams that are there, as an independent reading of all that each gave last has them. In the place of those of others
   * stands what was in force before, if anything was.
   */
  #expect(day: Day, missing: readonly string[]): void {
    for (const upstream of JOINED) {
      const newest = listRecorded(upstream).findLast((recorded) => recorded <= day);
      if (!missing.includes(upstream) && newest !== undefined) this.#given.set(upstream, newest);
    }
    const read = askOracleOf(this.#given, day);
    const before = this.#expected;
    const expected = mapDatasets((dataset): Rows => {
      const old = new Map(before[dataset].map((row) => [keyOf(dataset, row), row]));
      return read[dataset].flatMap((row) => {
        if (!missing.includes(upstreamOf(dataset, row))) return [row];
        const carried = old.get(keyOf(dataset, row));
        return carried === undefined ? [] : [carried];
      });
    });
    this.#expected = { ...expected, benchmarks: withCounts(expected.benchmarks, { missing, scores: expected.scores }) };
  }
}

function keyOf(dataset: DatasetName, row: Readonly<Record<string, unknown>>): string {
  return JSON.stringify(DATASETS[dataset].key.map((part) => row[part]));
}

/** Whose a row is. */
function upstreamOf(dataset: DatasetName, row: Readonly<Record<string, unknown>>): string {
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

async function expectAsRead(week: Week): Promise<void> {
  for (const dataset of DATASET_NAMES) {
    const { published, expected } = await week.records(dataset);
    const [ours, theirs] = [published, expected].map((rows) => new Set(rows.map((row) => JSON.stringify(row))));
    const only = (these: Set<string> | undefined, others: Set<string> | undefined) =>
      [...(these ?? [])].filter((line) => !others?.has(line)).slice(0, 5);
    expect([dataset, only(ours, theirs), only(theirs, ours)]).toEqual([dataset, [], []]);
    expect([dataset, published.length]).toEqual([dataset, expected.length]);
  }
}

async function verifyAll({ store }: Week) {
  const { store: objects, clock, duckdb, workFolder } = store.deps;
  const deps = { ...upkeepDeps(workFolder), store: objects, clock, duckdb, onPlan: () => {}, onSnapshot: () => {} };
  return verify('all', deps);
}

describe.skipIf(!HAS_REAL_DAYS)('sources/public', () => {
  test('can do without every upstream but models.dev', () => {
    expect(Object.keys(WITHOUT)).toEqual(JOINED.slice(1));
  });

  test.each(Object.keys(WITHOUT))(
    'begins without %s: all that others tell is published, and why it is not there is told',
    {
      timeout: 300_000,
    },
    async (upstream) => {
      const week = await Week.open();
      const result = await week.night('2026-08-01', [upstream]);
      expect(result).toMatchObject({ status: 'published', problems: [], quarantined: expect.any(Number) });
      expect(result.warnings).toContainEqual(expect.stringMatching(`^nothing of ${upstream} is captured before `));
      expect(result.warnings).toContainEqual(
        expect.stringMatching(` of ${upstream} could not be fetched from http.* 503`),
      );
      await expectAsRead(week);
      expect(await week.figures()).toBe(WITHOUT[upstream]);
      expect((await week.release()).captured.includes('rankings')).toBe(upstream !== 'lmarena');
      expect((await verifyAll(week)).problems).toEqual([]);
    },
  );

  /** Which upstreams are down on which night, and what the night comes to then: as above, and upserts and deletes. */
  const DOWN: readonly (readonly [day: Day, missing: readonly string[], figures: string, events: string])[] = [
    ['2026-06-30', ['livebench'], '5764 + 0, 48 + 0, 2582 + 0, 20280 + 0, 6999 + 0', '35625 + 0'],
    ['2026-07-05', ['livebench', 'openrouter'], '5982 + 41, 48 + 0, 2582 + 0, 20280 + 0, 6902 + 345', '826 + 265'],
    ['2026-07-06', ['epoch'], '5636 + 484, 8 + 48, 944 + 2582, 20369 + 0, 7247 + 0', '21246 + 0'],
    ['2026-07-13', ['epoch', 'genai-prices'], '4981 + 1150, 8 + 48, 944 + 2582, 21771 + 0, 6511 + 736', '20753 + 126'],
    ['2026-07-18', ['lmarena', 'openrouter'], '5581 + 550, 56 + 0, 3526 + 0, 0 + 21771, 6902 + 345', '0 + 0'],
    ['2026-07-30', ['litellm'], '3951 + 2237, 56 + 0, 3526 + 0, 21771 + 0, 5171 + 2117', '572 + 82'],
    ['2026-08-01', [], '6195 + 0, 56 + 0, 3526 + 0, 21771 + 0, 7292 + 0', '86 + 7'],
  ];

  test('goes on for a week with upstreams down: their records are carried from the store alone', {
    timeout: 600_000,
  }, async () => {
    const week = await Week.open();
    expect(DOWN.map(([day]) => day)).toEqual(listDays('public'));
    for (const [day, missing, figures, changes] of DOWN) {
      const result = await week.night(day, missing);
      expect([day, result.status, result.problems]).toEqual([day, 'published', []]);
      for (const upstream of missing) {
        expect(result.warnings).toContainEqual(
          expect.stringMatching(` of ${upstream} could not be fetched from .* 503`),
        );
      }
      await expectAsRead(week);
      const { events } = await week.release();
      expect([day, await week.figures(), `${events.upsert} + ${events.delete}`]).toEqual([day, figures, changes]);
      // LMArena's files are those of the 13th: that they are there again changes nothing.
      if (day === '2026-07-30') {
        expect((await week.events()).filter(({ entity_type }) => entity_type === 'ranking')).toEqual([]);
      }
    }
    expect(await verifyAll(week)).toMatchObject({ ok: true, problems: [], snapshots: 7 });
  });
});
