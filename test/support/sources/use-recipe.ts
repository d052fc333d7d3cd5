import { join } from 'node:path';
import { beforeAll, onTestFinished } from 'vitest';
import type { Day } from '../../../runtime/day.ts';
import { DATASETS, type DatasetName, publishedName } from '../../../schemas/datasets.ts';
import { RECORD_VERSIONS, versionInForce } from '../../../schemas/record-versions.ts';
import { perFile } from '../per-test.ts';
import { newestOf, readIssues, readRelease, readSnapshot, readSuspects } from '../pipeline/published.ts';
import { type NightOptions, openTemporaryStore } from '../pipeline/temporary-store.ts';
import { copyRecipe, type DayFiles, type RecipeChoices, writeRecipeDay } from './recipe-folder.ts';

/** Whether a model is one of those that a test is about, by its id. */
type IsOf = (model: string) => boolean;

/** Nights of a recipe over files in its upstream's form, in a store of their own. */
export type Recipe = Awaited<ReturnType<typeof openRecipe>>;

/** The newest version of the records, as if it had always been in force: recorded days lie before it. */
export const NEWEST = [{ ...versionInForce(RECORD_VERSIONS, '2999-12-31'), noticeFrom: null, inForceFrom: null }];

/** What the SELECTs of a recipe may take. */
const MEMORY_LIMIT = '300MB';

/** Opens a recipe of `sources/` for the test that runs. */
export async function useRecipe(name: string, choices?: RecipeChoices): Promise<Recipe> {
  const recipe = await openRecipe(name, choices);
  onTestFinished(recipe.close);
  return recipe;
}

/** A recipe of `sources/` for the tests of a file, after what it publishes first. */
export function publishedRecipe(name: string, publish: () => Promise<unknown>, choices?: RecipeChoices): Recipe {
  const recipe = perFile(() => openRecipe(name, choices));
  beforeAll(async () => void (await publish()), 180_000);
  return recipe;
}

async function openRecipe(name: string, choices?: RecipeChoices) {
  const store = await openTemporaryStore({ threads: 2, memoryLimit: MEMORY_LIMIT, versions: NEWEST });
  const source = join(store.folder, '../recipe');
  await copyRecipe(name, source, choices);
  /** Puts a day's files in place and runs its night. */
  const nightOf = async (day: Day, files: DayFiles, options?: NightOptions) => {
    await writeRecipeDay(name, join(source, day), { files, reader: store.reader });
    return store.night(source, day, options);
  };
  /**
   * The records of the newest snapshot, in order, without their `updated_at`, and without what a version added and the recipe doesn't
   * fill; of these fields where some are named, and of the models that `isOf` takes.
   */
  const records = async (dataset: DatasetName, fields?: readonly string[], isOf: IsOf = () => true) => {
    const lines = rowsFrom(await readSnapshot(store, await newestOf(store), dataset));
    return lines
      .filter(({ id, model_id }) => isOf(String(model_id ?? id)))
      .map(({ updated_at, ...record }) => (fields === undefined ? filledOf(dataset, record) : pick(record, fields)));
  };
  return {
    url: store.url,
    /** Copies the recipe anew, with other upstreams on. */
    choose: (others: RecipeChoices) => copyRecipe(name, source, others),
    newest: async () => readRelease(store, await newestOf(store)),
    dayFolder: (day: Day) => join(source, day),
    /** Runs the night of a day whose files are in place. */
    night: (day: Day, options?: NightOptions) => store.night(source, day, options),
    nightOf,
    /** Puts a day's files in place and publishes them; throws where that fails. */
    publish: async (day: Day, files: DayFiles, options?: NightOptions) => {
      const result = await nightOf(day, files, options);
      if (result.status === 'published') return result;
      throw new Error(`${day} is ${result.status}: ${result.problems}\n${await readIssues(result.report)}`);
    },
    records,
    /** The values of these fields, a row for each record. */
    table: async (dataset: DatasetName, fields: readonly string[], isOf?: IsOf) =>
      (await records(dataset, fields, isOf)).map((record) => Object.values(record)),
    /** What the newest release holds back. */
    suspects: async () => rowsFrom(await readSuspects(store, await newestOf(store))),
    close: store.dispose,
  };
}

function rowsFrom(text: string): readonly Record<string, unknown>[] {
  return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
}

/** A record without the fields that a version added and that are null, so that a recipe's test names what the recipe fills. */
export function filledOf(dataset: DatasetName, record: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const added = DATASETS[dataset].columns.filter(({ addedIn }) => addedIn !== undefined).map(publishedName);
  return Object.fromEntries(Object.entries(record).filter(([name, value]) => value !== null || !added.includes(name)));
}

function pick(record: Readonly<Record<string, unknown>>, fields: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(fields.map((field) => [field, record[field]]));
}
