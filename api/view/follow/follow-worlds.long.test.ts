import fc from 'fast-check';
import { afterEach, expect, test, vi } from 'vitest';
import { addDays, type Day } from '../../../runtime/day.ts';
import { DATASET_NAMES } from '../../../schemas/datasets.ts';
import { dumpView } from '../../../test/support/api/dump-view.ts';
import { useViews } from '../../../test/support/api/use-views.ts';
import { openTemporaryStore, type TemporaryStore } from '../../../test/support/pipeline/temporary-store.ts';
import type { DayRows } from '../../../test/support/pipeline/write-day.ts';
import { type Chooser, createChooser } from '../../../test/support/random.ts';
import { LISTED_FEW_SETTINGS, type ListedFew, listedFew } from '../../../test/worlds/listed-few.ts';
import type { ViewFile } from './build-view.ts';

vi.setConfig({ testTimeout: 600_000 });

const SEED = Number(process.env['WORLDS_SEED'] ?? 1);
const NIGHTS = 14;

let series: TemporaryStore;
const { getCatalog, build } = useViews(() => series);
afterEach(() => series?.dispose());

/** A day's rows: of each dataset new ones, those of the day before, none, or no file; often all new. */
function rowsOf(choose: Chooser, { rows }: ListedFew, last: DayRows): DayRows {
  if (Object.keys(last).length === 0 || choose.chance(0.4)) return rows;
  const base: DayRows = choose.chance(0.5) ? rows : last;
  const entries = DATASET_NAMES.map((name) => {
    const kind = choose.weighted({ base: 60, last: 20, empty: 8, missing: 12 });
    return [
      name,
      { base: base[name] ?? rows[name], last: last[name] ?? rows[name], empty: [], missing: undefined }[kind],
    ];
  });
  return Object.fromEntries(entries.filter(([, its]) => its !== undefined));
}

function pricesOf(choose: Chooser, { rows }: ListedFew): readonly object[] {
  const models = (rows.models ?? []).map((model) => String(Reflect.get(model, 'id')));
  return Array.from({ length: choose.integer(0, 3) }, (_, at) => ({
    model_id: choose.pick([...models, `of prices only ${at}`]),
    provider: choose.pick(['p1', 'P1', 'of prices only']),
    input_per_million: choose.integer(1, 3),
    output_per_million: 1,
    currency: 'USD',
    effective_from: addDays('2026-01-01', choose.integer(0, 80)),
  }));
}

/** False for a day that is refused, as of scores without their models: it changes nothing. */
async function publish(day: Day, rows: DayRows, aliases: string | undefined): Promise<boolean> {
  const names = aliases === undefined ? {} : { settings: LISTED_FEW_SETTINGS, aliases };
  return series.publish(day, rows, names).then(
    () => true,
    () => false,
  );
}

interface Evening {
  readonly world: ListedFew;
  readonly day: Day;
  readonly isEmpty: boolean;
}

/** Now and then prunes, or replaces the reconstructed prices. */
async function upkeep(choose: Chooser, { world, day, isEmpty }: Evening): Promise<void> {
  if (choose.chance(0.2)) {
    await series.prune({
      changesMonths: choose.integer(0, 2),
      snapshots: choose.pick([1, 9]),
      states: choose.pick([1, 9]),
    });
  }
  if (!isEmpty && choose.chance(0.2)) {
    await series.backfill(pricesOf(choose, world), `${addDays(day, 1)}T0${choose.integer(1, 9)}:00:00Z`);
  }
}

test.each(Array.from({ length: 8 }, (_, at) => SEED + at))(
  'after random nights, refused ones, prunes and backfills, some of them at once, a view has the tables of one built anew: seed %i',
  async (seed) => {
    series = await openTemporaryStore();
    const choose = createChooser(seed);
    let day: Day = '2026-03-01';
    let last: DayRows = {};
    let view: ViewFile | undefined;
    let followed = 0;
    for (const world of fc.sample(listedFew, { numRuns: NIGHTS, seed })) {
      day = addDays(day, choose.pick([1, 1, 1, 2, 40]));
      const rows = rowsOf(choose, world, last);
      const isPublished = await publish(day, rows, choose.chance(0.7) ? world.aliases : undefined);
      if (isPublished) last = { ...last, ...rows };
      await upkeep(choose, { world, day, isEmpty: view === undefined });
      if (choose.chance(0.3) || (view === undefined && !isPublished)) continue;
      const catalog = await getCatalog();
      const [next, rebuilt] = [await build(catalog, view), await build(catalog, undefined)];
      expect(dumpView(next.path), `on ${day}`).toEqual(dumpView(rebuilt.path));
      if (next.isExtended) followed += 1;
      view = next;
    }
    expect(followed).toBeGreaterThan(2);
  },
);
