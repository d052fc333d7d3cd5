import { chmod, cp, mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import Table from 'cli-table3';
import { AppError } from '../../../runtime/errors.ts';
import type { CommandContext } from '../../cli/command-context.ts';
import { assertEmptyFolder } from '../../cli/empty-folder.ts';
import { DEFAULT_RECIPE, listRecipes, type Recipe } from './recipes.ts';

export interface InitOptions {
  readonly dir: string;
  readonly recipe?: string;
  readonly json?: boolean;
}

/** `modelstats init DIR`: a folder from which nights of a public upstream can be run, and what to run next. */
export async function init(context: CommandContext, { dir, recipe: wanted, json }: InitOptions): Promise<number> {
  const recipes = await listRecipes();
  const folder = resolve(dir);
  await assertEmptyFolder(folder);
  const isAsked = wanted === undefined && json !== true && context.isTerminal && process.stdin.isTTY;
  const recipe = getRecipe(isAsked ? await ask(context, recipes) : (wanted ?? DEFAULT_RECIPE), recipes);
  const envFile = join(folder, '.env');
  const source = join(folder, 'source');
  await mkdir(folder, { recursive: true });
  await cp(recipe.folder, source, { recursive: true });
  await writeFile(envFile, envOf(recipe, folder), { mode: 0o600 });
  await chmod(envFile, 0o600); // Keys will stand there, whatever the umask.
  await writeFile(join(folder, '.gitignore'), GIT_IGNORES);
  const next = nextSteps(recipe, folder);
  if (json) {
    const { name, variables } = recipe;
    context.print(JSON.stringify({ folder, recipe: name, source, env_file: envFile, variables, next }));
    return 0;
  }
  context.print(`${folder} has the recipe ${recipe.name}: ${namesOf(recipe)}. Next:\n\n${next.join('\n')}`);
  return 0;
}

/** Wherever the folder is made, no commit takes the keys in it, or the data. */
const GIT_IGNORES = `# Keys and data lie here. To keep source/ in a repository, have this file name .env, store/, work/ and accounts.db* alone.
*
`;

function getRecipe(name: string, recipes: readonly Recipe[]): Recipe {
  const recipe = recipes.find((one) => one.name === name);
  if (recipe === undefined)
    throw new AppError('usage', `there is no recipe ${name}; there are ${recipes.map((one) => one.name).join(', ')}`);
  return recipe;
}

/** Shows what there is, and has a person choose. */
async function ask({ log }: CommandContext, recipes: readonly Recipe[]): Promise<string> {
  const table = new Table({
    head: ['recipe', 'data of', 'may be passed on', 'needs'],
    style: { head: [], border: [] },
  });
  for (const recipe of recipes) {
    table.push([recipe.name, namesOf(recipe), passedOn(recipe), recipe.variables.join(', ') || 'nothing']);
  }
  log(table.toString());
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return (await terminal.question(`Which recipe? [${DEFAULT_RECIPE}] `)).trim() || DEFAULT_RECIPE;
  } finally {
    terminal.close();
  }
}

/** Whether the terms of its upstreams allow to pass the data on. */
function passedOn({ upstreams }: Recipe): string {
  const open = upstreams.filter(({ redistribution }) => redistribution).length;
  if (open === 0) return 'no';
  return open === upstreams.length ? 'yes' : 'in part';
}

function namesOf({ upstreams }: Recipe): string {
  return upstreams.map(({ name }) => name).join(', ');
}

/** The settings, for a shell and for containers alike: whole paths, since nobody knows where it is read from. */
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
    ...variables.map((name) => `# put your ${name} into ${join(folder, '.env')}`),
    `set -a; . ${quoted(join(folder, '.env'))}; set +a`,
    'modelstats nightly --dry-run      # fetches, and tells what would be published',
    'modelstats nightly',
    'modelstats orgs create --name Acme --plan builder',
    'modelstats keys create --org ID',
    'modelstats serve --with-schedule  # answers, and does the same every night',
  ];
}
