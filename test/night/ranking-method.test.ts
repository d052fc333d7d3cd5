import { expect, test } from 'vitest';
import { newestOf, readRelease } from '../support/pipeline/published.ts';
import { useStore } from '../support/pipeline/use-store.ts';
import { SMALL_DAYS } from '../worlds/small-days.ts';

const store = useStore();
const methodOfNewest = async () => (await readRelease(store, await newestOf(store))).ranking_method;

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
