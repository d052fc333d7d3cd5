/** `sources/public/aliases.csv`: which names of which upstreams are one model. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { UPSTREAM_DATA } from '../support/real-data.ts';
import { listDays, loadRealDay } from '../support/sources/real-upstream.ts';
import { RECIPES_FOLDER } from '../support/sources/recipe-folder.ts';

const [header, ...lines] = readFileSync(join(RECIPES_FOLDER, 'public/aliases.csv'), 'utf8').trimEnd().split('\n');
const aliases = lines.map((line) => {
  const [upstream = '', id = '', model_id = '', ...rest] = line.split(',');
  return { upstream, id, model_id, rest };
});

/** What a list has more than once. */
function repeated(names: readonly string[]): readonly string[] {
  return names.filter((name, index) => names.indexOf(name) !== index);
}

test('every line is an upstream, a name and a model', () => {
  expect(header).toBe('upstream,id,model_id');
  const wrong = aliases.filter(
    ({ id, model_id, rest }) => rest.length > 0 || id.trim() !== id || model_id.trim() !== model_id,
  );
  expect(wrong).toEqual([]);
  const { upstreams } = JSON.parse(readFileSync(join(RECIPES_FOLDER, 'public/source.json'), 'utf8'));
  const known = upstreams.map(({ id }: { readonly id: string }) => id);
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

describe.skipIf(UPSTREAM_DATA === undefined)('over the recorded files', () => {
  test('every model that an alias names is one of models.dev', () => {
    const newest = listDays('models-dev').at(-1) ?? '';
    const providers: Readonly<Record<string, { readonly models: object }>> = JSON.parse(
      String(loadRealDay('models-dev', newest)['models-dev.json']),
    );
    const ids = new Set(Object.values(providers).flatMap(({ models }) => Object.keys(models)));
    expect(aliases.filter(({ model_id }) => !ids.has(model_id))).toEqual([]);
  });
});
