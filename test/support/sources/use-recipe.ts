import { join } from 'node:path';
import { beforeAll, onTestFinished } from 'vitest';
import type { NightResult } from '../../../pipeline/night/night-result.ts';
import type { Day } from '../../../runtime/day.ts';
import { DATASETS, type DatasetName, publishedName } from '../../../schemas/datasets.ts';
import { RECORD_VERSIONS, versionInForce } from '../../../schemas/record-versions.ts';
import { newestOf, readIssues, readSnapshot, readSuspects } from '../pipeline/published.ts';
import { type NightOptions, openTemporaryStore } from '../pipeline/temporary-store.ts';
import { copyRecipe, type DayFiles, writeRecipeDay } from './recipe-folder.ts';

/** Whether a model is one of those that a test is about, by its id. */
type IsOf = (model: string) => boolean;

/** Nights of a recipe over files in its upstream's form, in a store of their own. */
export interface Recipe {
  /** The address of the store. */
  readonly url: string;
  /** Where a day's files lie. */
  dayFolder(day: Day): string;
  /** Runs the night of a day whose files are in place. */
  night(day: Day, options?: NightOptions): Promise<NightResult>;
  /** Puts a day's files in place and runs its night. */
  nightOf(day: Day, files: DayFiles, options?: NightOptions): Promise<NightResult>;
  /** Puts a day's files in place and publishes them; throws where that fails. */
  publish(day: Day, files: DayFiles, options?: NightOptions): Promise<NightResult>;
  /**
   * The records of the newest snapshot, in order, without their `updated_at`, and without what a version added and the recipe doesn't
   * fill; of these fields where some are named, and of the models that `isOf` takes.
   */
  records(dataset: DatasetName, fields?: readonly string[], isOf?: IsOf): Promise<readonly Record<string, unknown>[]>;
  /** The values of these fields, a row for each record. */
  table(dataset: DatasetName, fields: readonly string[], isOf?: IsOf): Promise<readonly (readonly unknown[])[]>;
  /** What the newest release holds back. */
  suspects(): Promise<readonly Record<string, unknown>[]>;
  dispose(): Promise<void>;
}

/** The newest version of the records, as if it had always been in force: recorded days lie before it. */
export const NEWEST = [{ ...versionInForce(RECORD_VERSIONS, '2999-12-31'), noticeFrom: null, inForceFrom: null }];

/** What the SELECTs of a recipe may take. */
const MEMORY_LIMIT = '300MB';

/** Opens a recipe of `sources/` for the test that runs. */
export async function useRecipe(name: string): Promise<Recipe> {
  const recipe = await openRecipe(name);
  onTestFinished(recipe.dispose);
  return recipe;
}

/** A recipe of `sources/` for the tests of a file, after what it publishes first. */
export function publishedRecipe(name: string, publish: () => Promise<unknown>): Recipe {
  let recipe: Recipe | undefined;
  beforeAll(async () => {
    recipe = await openRecipe(name);
    await publish();
    return recipe.dispose;
  }, 180_000);
  return new Proxy({} as Recipe, { get: (_, key) => Reflect.get(recipe ?? {}, key) });
}

async function openRecipe(name: string): Promise<Recipe> {
  const store = await openTemporaryStore({ threads: 2, memoryLimit: MEMORY_LIMIT, versions: NEWEST });
  const source = join(store.folder, '../recipe');
  await copyRecipe(name, source);
  const nightOf = async (day: Day, files: DayFiles, options?: NightOptions) => {
    await writeRecipeDay(name, join(source, day), { files, reader: store.reader });
    return store.night(source, day, options);
  };
  const records: Recipe['records'] = async (dataset, fields, isOf = () => true) => {
    const lines = rowsFrom(await readSnapshot(store, await newestOf(store), dataset));
    return lines
      .filter(({ id, model_id }) => isOf(String(model_id ?? id)))
      .map(({ updated_at, ...record }) => (fields === undefined ? filledOf(dataset, record) : pick(record, fields)));
  };
  return {
    url: store.url,
    dayFolder: (day) => join(source, day),
    night: (day, options) => store.night(source, day, options),
    nightOf,
    publish: async (day, files, options) => {
      const result = await nightOf(day, files, options);
      if (result.status === 'published') return result;
      throw new Error(`${day} is ${result.status}: ${result.problems}\n${await readIssues(result.report)}`);
    },
    records,
    table: async (dataset, fields, isOf) =>
      (await records(dataset, fields, isOf)).map((record) => Object.values(record)),
    suspects: async () => rowsFrom(await readSuspects(store, await newestOf(store))),
    dispose: store.dispose,
  };
}

function rowsFrom(text: string): readonly Record<string, unknown>[] {
  return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
}

/** A record without the fields that a version added and that are null, so that a recipe's test names what the recipe fills. */
function filledOf(dataset: DatasetName, record: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const added = DATASETS[dataset].columns.filter(({ addedIn }) => addedIn !== undefined).map(publishedName);
  return Object.fromEntries(Object.entries(record).filter(([name, value]) => value !== null || !added.includes(name)));
}

function pick(record: Readonly<Record<string, unknown>>, fields: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(fields.map((field) => [field, record[field]]));
}
