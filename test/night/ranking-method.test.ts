import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadCatalog, loadRelease } from '../../storage/catalog.ts';
import { openTemporaryStore, type TemporaryStore } from '../support/pipeline/temporary-store.ts';
import { SMALL_DAYS } from '../worlds/small-days.ts';

let store: TemporaryStore;

beforeAll(async () => {
  store = await openTemporaryStore();
});
afterAll(() => store.dispose());

async function methodOfNewest() {
  const { catalog } = (await loadCatalog(store.deps.store)) ?? {};
  const entry = catalog?.releases.at(-1);
  if (entry === undefined) throw new Error('nothing is published');
  return (await loadRelease(store.deps.store, entry)).ranking_method;
}

test('the method of rankings stays with them: a night that does not capture any carries theirs', async () => {
  const { rankings: _, ...without } = SMALL_DAYS['2026-06-01'] ?? {};
  await store.publish('2026-06-01', SMALL_DAYS['2026-06-01'] ?? {}, { settings: { ranking_method: 'elo' } });
  expect(await methodOfNewest()).toBe('elo');
  await store.publish('2026-06-02', without, { settings: { ranking_method: 'glicko-2' } });
  expect(await methodOfNewest()).toBe('elo');
  await store.publish('2026-06-03', SMALL_DAYS['2026-06-01'] ?? {});
  expect(await methodOfNewest()).toBeUndefined();
});

test('a source may say it by category', async () => {
  const methods = { general: 'elo', coding: 'bradley-terry' };
  await store.publish('2026-06-04', SMALL_DAYS['2026-06-01'] ?? {}, { settings: { ranking_method: methods } });
  expect(await methodOfNewest()).toEqual(methods);
});

test('a method that is no word rejects the night', async () => {
  for (const wrong of ['True Skill', { general: 'True Skill' }, 1, null]) {
    const publish = store.publish('2026-06-05', SMALL_DAYS['2026-06-01'] ?? {}, {
      settings: { ranking_method: wrong },
    });
    await expect(publish).rejects.toThrow(/ranking_method[^ ]*: must be like bradley-terry: up to 64 of/);
  }
});
