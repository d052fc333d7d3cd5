import { chmod, cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { variablesIn } from '../../pipeline/source/variables.ts';
import { AppError } from '../../runtime/errors.ts';
import type { Upstream } from '../../schemas/upstreams.ts';
import { argument, type CommandContext, defineCommand, option } from '../cli/command.ts';
import { assertEmptyFolder, namesValue, textValue } from '../cli/option-values.ts';

/** Combines all recipes that need no key. */
const DEFAULT_RECIPE = 'public';

export const init = defineCommand({
  name: 'init',
  description: 'Create a folder to run nights of public upstreams from: a recipe, settings, and the next commands',
  arguments: { dir: argument('a new folder, or an empty one') },
  options: {
    recipe: option('<name>', 'the recipe (default: a prompt on a terminal, else public)', textValue),
    with: option('<upstreams>', 'switch on upstreams that are off in the recipe, separated by commas', namesValue),
  },
  json: 'one JSON object on stdout, without a prompt',
  examples: [
    'modelstats init ./modelstats --recipe public',
    'modelstats init ./modelstats --with openrouter --with livebench',
  ],
  async run(context, { dir, recipe: requested, with: wanted = [], json }) {
    const recipes = await listRecipes();
    const folder = resolve(dir);
    await assertEmptyFolder(folder);
    const isInteractive = requested === undefined && !json && context.isTerminal && process.stdin.isTTY;
    const recipe = getRecipe(
      isInteractive ? await promptForRecipe(context, recipes) : (requested ?? DEFAULT_RECIPE),
      recipes,
    );
    const off = assertOff(wanted, recipe).filter(({ id }) => !wanted.includes(id));
    const envFile = join(folder, '.env');
    const source = join(folder, 'source');
    await mkdir(folder, { recursive: true });
    await cp(recipe.folder, source, { recursive: true });
    if (wanted.length > 0) await switchOn(join(source, 'source.json'), wanted);
    await writeFile(envFile, envOf(recipe, folder), { mode: 0o600 });
    await chmod(envFile, 0o600); // It will hold keys, whatever the umask.
    await writeFile(join(folder, '.gitignore'), GIT_IGNORES);
    const next = nextSteps(recipe, folder);
    const { name, variables } = recipe;
    const listedOff = off.map(({ id, terms_url }) => ({ upstream: id, terms_url }));
    const on = namesOf(upstreamsOn({ ...recipe, off }));
    const lines = [`${folder} has the recipe ${name}: ${on}.`, ...describeOff(off, source)];
    context.printResult(
      { folder, recipe: name, source, env_file: envFile, variables, off: listedOff, next },
      `${lines.join('\n')}\nNext:\n\n${next.join('\n')}`,
    );
    return 0;
  },
});

/** The recipe's upstreams that are off. Throws `usage` where one of `wanted` is not among them. */
function assertOff(wanted: readonly string[], { name, off }: Recipe): readonly Upstream[] {
  const unknown = wanted.filter((id) => !off.some((upstream) => upstream.id === id));
  if (unknown.length === 0) return off;
  const choices =
    off.length === 0
      ? ', which has none that is off'
      : `; only ${off.map(({ id }) => id).join(', ')} can be switched on`;
  throw new AppError('usage', `--with ${unknown.join(',')}: not off in the recipe ${name}${choices}`);
}

/** Removes `off` from the settings of a recipe; all else stays as it is, also the order of fields, which zod would change. */
async function switchOn(path: string, ids: readonly string[]): Promise<void> {
  // Checked when the recipe was read.
  const settings: { readonly upstreams: readonly { readonly id: string; readonly off?: boolean }[] } = JSON.parse(
    await readFile(path, 'utf8'),
  );
  const upstreams = settings.upstreams.map(({ off, ...upstream }) =>
    off === undefined || ids.includes(upstream.id) ? upstream : { ...upstream, off },
  );
  await writeFile(path, `${JSON.stringify({ ...settings, upstreams }, null, 2)}\n`);
}

function describeOff(off: readonly Upstream[], source: string): readonly string[] {
  if (off.length === 0) return [];
  const command = `modelstats init OTHER_DIR --with ${off.map(({ id }) => id).join(',')}`;
  return [
    'Off, because their data may not be passed on without permission:',
    ...off.map(({ id, name, license, terms_url }) => {
      const terms = [license ?? 'no licence stated', ...(terms_url === null ? [] : [terms_url])];
      return `  ${id} (${name}): ${terms.join(', ')}`;
    }),
    `After the upstream permits it, remove "off" in ${join(source, 'source.json')}, or run: ${command}`,
  ];
}

/** No commit takes keys or data, wherever the folder is. */
const GIT_IGNORES = `# This folder holds keys and data. To commit source/, list only .env, store/, work/ and accounts.db* in this file.
*
`;

function getRecipe(name: string, recipes: readonly Recipe[]): Recipe {
  const recipe = recipes.find((one) => one.name === name);
  if (recipe === undefined)
    throw new AppError(
      'usage',
      `there is no recipe ${name}; choose one of ${recipes.map((one) => one.name).join(', ')}`,
    );
  return recipe;
}

async function promptForRecipe({ log, tableText }: CommandContext, recipes: readonly Recipe[]): Promise<string> {
  const rows = recipes.map((recipe) => {
    const needs = recipe.variables.join(', ') || 'nothing';
    const on = upstreamsOn(recipe);
    return [recipe.name, namesOf(on), redistributionOf(on), needs];
  });
  log(tableText(['recipe', 'data of', 'redistribution', 'needs'], rows));
  const { createInterface } = await import('node:readline/promises');
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return (await terminal.question(`Which recipe? [${DEFAULT_RECIPE}] `)).trim() || DEFAULT_RECIPE;
  } finally {
    terminal.close();
  }
}

function upstreamsOn({ upstreams, off }: Recipe): readonly Upstream[] {
  return upstreams.filter((upstream) => !off.includes(upstream));
}

function redistributionOf(upstreams: readonly Upstream[]): string {
  const open = upstreams.filter(({ redistribution }) => redistribution).length;
  if (open === 0) return 'no';
  return open === upstreams.length ? 'yes' : 'in part';
}

function namesOf(upstreams: readonly Upstream[]): string {
  return upstreams.map(({ name }) => name).join(', ');
}

/** For shells and containers alike; absolute paths, since it may be read from anywhere. */
function envOf({ variables }: Recipe, folder: string): string {
  const settings = {
    MODELSTATS_SOURCE: join(folder, 'source'),
    MODELSTATS_STORE: `file:${join(folder, 'store')}`,
    MODELSTATS_WORK: join(folder, 'work'),
    MODELSTATS_DATABASE: `sqlite:${join(folder, 'accounts.db')}`,
    MODELSTATS_VIEW: join(folder, 'view'),
    MODELSTATS_MAIL: join(folder, 'mail'),
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name}=${quoted(value)}`);
  const keys = variables.map((name) => `${name}=`);
  return `${[...lines, ...keys].join('\n')}\n`;
}

function quoted(value: string): string {
  return /^[\w@%+=:,./-]*$/.test(value) ? value : `'${value.replaceAll("'", `'\\''`)}'`;
}

function nextSteps({ variables }: Recipe, folder: string): readonly string[] {
  return [
    ...variables.map((name) => `# set ${name} in ${join(folder, '.env')}`),
    `set -a; . ${quoted(join(folder, '.env'))}; set +a`,
    'modelstats nightly --dry-run      # fetches, and shows what would be published',
    'modelstats nightly',
    'modelstats orgs create --name Acme --plan builder',
    'modelstats keys create --org ID',
    'modelstats serve --with-schedule  # serves the API, and publishes every night',
  ];
}

const RECIPES = resolve(import.meta.dirname, '../../sources');

interface Recipe {
  readonly name: string;
  readonly folder: string;
  /** Also those that are off. */
  readonly upstreams: readonly Upstream[];
  readonly off: readonly Upstream[];
  /** Such as an API key. */
  readonly variables: readonly string[];
}

/** The combined recipe first. */
async function listRecipes(): Promise<readonly Recipe[]> {
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
  const { loadSettings } = await import('../../pipeline/source/source-settings.ts');
  const { upstreams: on, fetch, off: switchedOff } = await loadSettings(path);
  const off = switchedOff.upstreams;
  const upstreams = [...on, ...off];
  // Also those in URLs and headers; the file was validated above.
  const variables = fetch.length === 0 ? [] : [...new Set(variablesIn(await readFile(path, 'utf8')))];
  return { name, folder, upstreams, off, variables };
}
