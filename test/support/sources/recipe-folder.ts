import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { sqlText } from '../../../storage/duckdb/database.ts';
import type { Reader } from '../pipeline/temporary-store.ts';

export const RECIPES_FOLDER = resolve(import.meta.dirname, '../../../sources');

/**
 * Files of a day, by their path below its folder: text as it is, anything else as JSON. What becomes a Parquet file is a list of
 * rows, or LMArena's recorded form of one, `{meta, rows}`.
 */
export type DayFiles = Readonly<Record<string, unknown>>;

export interface RecipeChoices {
  /** Upstreams that are off in the recipe, and on in the copy. */
  readonly on?: readonly string[];
}

/** A recipe's copy that days can be put into. */
export async function copyRecipe(name: string, to: string, choices?: RecipeChoices): Promise<void> {
  await mkdir(to, { recursive: true });
  await cp(join(RECIPES_FOLDER, name, 'source.sql'), join(to, 'source.sql'));
  await writeFile(join(to, 'source.json'), JSON.stringify(await recipeSettings(name, choices)));
}

interface RecipeUpstream {
  readonly id: string;
  readonly off?: boolean;
}

/** A recipe's `source.json`. */
export async function recipeSettings(name: string, { on = [] }: RecipeChoices = {}) {
  const settings = JSON.parse(await readFile(join(RECIPES_FOLDER, name, 'source.json'), 'utf8'));
  const upstreams = settings.upstreams.map(({ off = false, ...upstream }: RecipeUpstream) =>
    off && !on.includes(upstream.id) ? { ...upstream, off } : upstream,
  );
  return { ...settings, upstreams };
}

/** Puts a day's files where a fetch would put them, with the recipe's own tables beside them. */
export async function writeRecipeDay(
  name: string,
  folder: string,
  { files, reader }: { readonly files: DayFiles; readonly reader: Reader },
): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const table of await tablesOf(name)) await cp(join(RECIPES_FOLDER, name, table), join(folder, table));
  for (const [path, content] of Object.entries(files)) {
    const file = join(folder, path);
    await mkdir(dirname(file), { recursive: true });
    const text = typeof content === 'string' ? content : JSON.stringify(content);
    if (!path.endsWith('.parquet')) await writeFile(file, text);
    else await writeParquet(file, { text, reader });
  }
}

async function tablesOf(name: string): Promise<readonly string[]> {
  const folder = join(RECIPES_FOLDER, name);
  return existsSync(folder) ? (await readdir(folder)).filter((file) => file.endsWith('.csv')) : [];
}

async function writeParquet(
  file: string,
  { text, reader }: { readonly text: string; readonly reader: Reader },
): Promise<void> {
  const json = `${file}.rows`;
  await writeFile(json, text);
  const read = `read_json(${sqlText(json)}, maximum_object_size = ${2 ** 26})`;
  const recorded = `SELECT r.*, meta.leaderboard_publish_date FROM (SELECT unnest(rows) AS r, meta FROM ${read})`;
  const select = text.startsWith('{') ? recorded : `SELECT * FROM ${read}`;
  await reader.run(`COPY (${select}) TO ${sqlText(file)} (FORMAT parquet)`);
  await rm(json);
}
