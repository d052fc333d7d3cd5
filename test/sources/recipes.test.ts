/** What all recipes have in common: their files, whom they name, and that what their SQL reads is fetched. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { UPSTREAM_DATA } from '../support/real-data.ts';
import { listDays, loadRealDay } from '../support/sources/real-upstream.ts';
import { RECIPES_FOLDER } from '../support/sources/recipe-folder.ts';

interface Fetched {
  readonly upstream: string;
  readonly url: string;
  readonly file: string;
  readonly unzip?: string;
  readonly expect?: object;
}

interface Settings {
  readonly upstreams: readonly Readonly<Record<string, unknown>>[];
  readonly fetch: readonly Fetched[];
}

const folders = readdirSync(RECIPES_FOLDER, { withFileTypes: true }).filter((entry) => entry.isDirectory());
const recipes = folders.map(({ name }) => name);

function textOf(...path: readonly string[]): string {
  return readFileSync(join(RECIPES_FOLDER, ...path), 'utf8');
}

function settingsOf(recipe: string): Settings {
  return JSON.parse(textOf(recipe, 'source.json'));
}

/** Whether a name of a SELECT is that of what is fetched; a folder's files are read by pattern. */
function isFetched(name: string, { file, unzip }: Fetched): boolean {
  return unzip === undefined ? name === file : name.startsWith(unzip);
}

test.each(recipes)('%s says whose data it is, on which terms, and where each file is', (recipe) => {
  const { upstreams, fetch } = settingsOf(recipe);
  for (const upstream of upstreams) {
    expect(upstream).toMatchObject({
      name: expect.any(String),
      terms_url: expect.stringMatching(/^https:/),
      attribution: expect.any(String),
      redistribution: upstream['license'] !== null,
    });
    // Said either way: null is that nobody of us has read the terms.
    expect(upstream).toHaveProperty('checked');
  }
  const ids = upstreams.map(({ id }) => id);
  expect(new Set(fetch.map(({ upstream }) => upstream))).toEqual(new Set(ids));
  expect(fetch.filter(({ url }) => !url.startsWith('https://'))).toEqual([]);
  expect(fetch.filter(({ expect: expected }) => expected === undefined)).toEqual([]);
});

test.each(recipes)('%s reads what it fetches or brings along, and nothing else, and has a README', (recipe) => {
  const { fetch } = settingsOf(recipe);
  const sql = textOf(recipe, 'source.sql');
  const names = [...sql.matchAll(/'([^'\s]+\.(?:csv|json|parquet))'/g)].map(([, name = '']) => name);
  const own = readdirSync(join(RECIPES_FOLDER, recipe));
  expect(names.length).toBeGreaterThan(0);
  expect(names.filter((name) => !own.includes(name) && !fetch.some((entry) => isFetched(name, entry)))).toEqual([]);
  expect(fetch.filter((entry) => !names.some((name) => isFetched(name, entry)))).toEqual([]);
  expect(textOf(recipe, 'README.md')).toMatch(/^# .*Terms: .*Checked on \d{4}-\d{2}-\d{2} .*## Rules/s);
  expect(textOf('README.md')).toContain(`](${recipe}/README.md)`);
});

test('the shared upstreams are told alike in their own recipe and in the one that joins them, where those that may not be passed on are off', () => {
  const { upstreams, fetch } = settingsOf('public');
  for (const upstream of upstreams) {
    const own = settingsOf(String(upstream['id']));
    const { off, ...terms } = upstream;
    expect(own.upstreams).toEqual([terms]);
    expect([upstream['id'], off]).toEqual([upstream['id'], upstream['redistribution'] ? undefined : true]);
    const joined = fetch.filter((entry) => entry.upstream === upstream['id']);
    expect(joined).toEqual(own.fetch.map((entry) => expect.objectContaining(entry)));
  }
});

// The names of models in sources/public/aliases.csv.

const [header, ...lines] = textOf('public/aliases.csv').trimEnd().split('\n');
const aliases = lines.map((line) => {
  const [upstream = '', id = '', model_id = '', ...rest] = line.split(',');
  return { upstream, id, model_id, rest };
});

function repeated(names: readonly string[]): readonly string[] {
  return names.filter((name, index) => names.indexOf(name) !== index);
}

test('every line is an upstream, a name and a model', () => {
  expect(header).toBe('upstream,id,model_id');
  const wrong = aliases.filter(
    ({ id, model_id, rest }) => rest.length > 0 || id.trim() !== id || model_id.trim() !== model_id,
  );
  expect(wrong).toEqual([]);
  const known = settingsOf('public').upstreams.map(({ id }) => id);
  // An id of OpenRouter's is one of models.dev's.
  expect(aliases.filter(({ upstream }) => !known.includes(upstream) || upstream === 'openrouter')).toEqual([]);
});

test('lines are sorted, and no alias stands twice', () => {
  expect(lines).toEqual([...lines].sort());
  expect(repeated(aliases.map(({ upstream, id }) => `${upstream},${id}`))).toEqual([]);
});

test('no alias is of a model that is an alias itself, nor of itself', () => {
  const spine = new Set(aliases.filter(({ upstream }) => upstream === 'models-dev').map(({ id }) => id));
  expect(aliases.filter(({ model_id }) => spine.has(model_id))).toEqual([]);
});

test('where records would meet, an upstream has one name for a model', () => {
  const meeting = aliases.filter(({ upstream }) => ['epoch', 'livebench', 'lmarena'].includes(upstream));
  expect(repeated(meeting.map(({ upstream, model_id }) => `${upstream},${model_id}`))).toEqual([]);
});

test.skipIf(UPSTREAM_DATA === undefined)('every model that an alias names is one of models.dev', () => {
  const newest = listDays('models-dev').at(-1) ?? '';
  const providers: Readonly<Record<string, { readonly models: object }>> = JSON.parse(
    String(loadRealDay('models-dev', newest)['models-dev.json']),
  );
  const ids = new Set(Object.values(providers).flatMap(({ models }) => Object.keys(models)));
  expect(aliases.filter(({ model_id }) => !ids.has(model_id))).toEqual([]);
});
