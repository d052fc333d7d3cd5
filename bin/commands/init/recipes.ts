import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { loadSettings, type SourceSettings } from '../../../pipeline/source/source-settings.ts';
import { variablesIn } from '../../../pipeline/source/variables.ts';

/** Where recipes lie beside the program, in the repository and in what is built from it. */
const RECIPES = resolve(import.meta.dirname, '../../../sources');

/** Joins all recipes that need no key. */
export const DEFAULT_RECIPE = 'public';

/** A recipe for public upstreams, as somebody who chooses one needs to know it. */
export interface Recipe {
  readonly name: string;
  readonly folder: string;
  readonly upstreams: SourceSettings['upstreams'];
  /** Variables of the environment that it needs, such as an API key of the operator's. */
  readonly variables: readonly string[];
}

/** All recipes, the one that joins others first. */
export async function listRecipes(): Promise<readonly Recipe[]> {
  const entries = await readdir(RECIPES, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  const recipes = await Promise.all(names.map(readRecipe));
  return recipes.toSorted((a, b) => rank(a) - rank(b) || (a.name < b.name ? -1 : 1));
}

function rank({ name }: Recipe): number {
  return name === DEFAULT_RECIPE ? 0 : 1;
}

async function readRecipe(name: string): Promise<Recipe> {
  const folder = join(RECIPES, name);
  const path = join(folder, 'source.json');
  const { upstreams, fetch } = await loadSettings(path);
  // Those of addresses and headers alike; the file itself was just found in order.
  const variables = fetch.length === 0 ? [] : [...new Set(variablesIn(await readFile(path, 'utf8')))];
  return { name, folder, upstreams, variables };
}
