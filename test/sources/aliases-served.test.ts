/** What users of an API see of `sources/public/aliases.csv` over real days. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { getList } from '../support/api/lists.ts';
import { openApi } from '../support/api/open-api.ts';
import { UPSTREAM_DATA } from '../support/real-data.ts';
import { listDays, loadRealDay } from '../support/sources/real-upstream.ts';
import { RECIPES_FOLDER } from '../support/sources/recipe-folder.ts';
import { useRecipe } from '../support/sources/use-recipe.ts';

const [, ...lines] = readFileSync(join(RECIPES_FOLDER, 'public/aliases.csv'), 'utf8').trimEnd().split('\n');
const aliases = lines.map((line) => {
  const [upstream = '', id = '', model = ''] = line.split(',');
  return { upstream, id, model };
});

describe.skipIf(UPSTREAM_DATA === undefined)('over the recorded files', () => {
  test('every alias of a model that is there finds exactly its models, and the model tells it', {
    timeout: 300_000,
  }, async () => {
    const recipe = await useRecipe('public');
    const day = listDays('public').at(-1) ?? '';
    await recipe.publish(day, loadRealDay('public', day));
    const there = new Set((await recipe.records('models')).map(({ id }) => String(id)));
    const shown = aliases.filter(({ model }) => there.has(model));
    expect(shown.length).toBeGreaterThan(700);
    const api = await openApi({ store: recipe.url });
    try {
      for (const { id } of aliases) {
        const named = shown.filter((alias) => alias.id === id).map(({ model }) => model);
        const expected = new Set(there.has(id) ? [...named, id] : named);
        const { records, total } = await getList(api, `/v1/models?alias=${encodeURIComponent(id)}`);
        expect(new Set(records.map((record) => record['id'])), id).toEqual(expected);
        expect(total, id).toBe(expected.size);
      }
      for (const model of new Set(shown.map((alias) => alias.model))) {
        const { aliases: told } = await api.json(`/v1/models/${encodeURIComponent(model)}`);
        const expected = shown.filter((alias) => alias.model === model).map(({ upstream, id }) => ({ upstream, id }));
        expect(told, model).toEqual(expected);
      }
    } finally {
      await api.close();
    }
  });
});
