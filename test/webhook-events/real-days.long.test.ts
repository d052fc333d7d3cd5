import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openDatabase } from '../../api/database/open-database.ts';
import { listSourceDays } from '../../pipeline/source/source-folder.ts';
import { openTemporaryStore } from '../support/pipeline/temporary-store.ts';
import { REAL_DATA, UPSTREAM_DATA } from '../support/real-data.ts';
import { listDays, loadRealDay } from '../support/sources/real-upstream.ts';
import { copyRecipe, writeRecipeDay } from '../support/sources/recipe-folder.ts';
import { NEWEST } from '../support/sources/use-recipe.ts';
import { newFolder } from '../support/temporary-folder.ts';
import { openPublisher } from '../support/webhooks/publisher.ts';
import { addListeners, expectTold, type Listener } from './oracle.ts';

/** On the third of the first days rankings come for the first time; on the fourth prices move a million-fold. */
const DAYS = [
  { what: 'first rankings', from: '2026-03-17', to: '2026-04-05' },
  { what: 'many changes of prices', from: '2026-06-06', to: '2026-06-26' },
];

const LISTENERS: readonly Listener[] = [
  { id: 'all', mode: 'each', filters: {} },
  { id: 'digest', mode: 'digest', filters: {} },
  { id: 'prices', mode: 'each', filters: { min_price_change_percent: 20 } },
  { id: 'top', mode: 'each', filters: { max_rank: 3 } },
  { id: 'output', mode: 'each', filters: { meters: ['output'] } },
  { id: 'up', mode: 'each', filters: { direction: 'up' } },
  { id: 'down', mode: 'each', filters: { direction: 'down' } },
  { id: 'far', mode: 'each', filters: { min_change_percent: 20 } },
  { id: 'cuts', mode: 'digest', filters: { meters: ['output'], direction: 'down', min_change_percent: 5 } },
  { id: 'riser', mode: 'each', filters: { direction: 'up', models: ['claude-opus-4-6-thinking'], max_rank: 10 } },
];

/** Of rates, which only recorded files of upstreams have. */
const RATE_LISTENERS: readonly Listener[] = [
  { id: 'all', mode: 'each', filters: {} },
  { id: 'caches', mode: 'each', filters: { meters: ['cache_read', 'cache_write'] } },
  { id: 'cheaper', mode: 'digest', filters: { meters: ['cache_read'], direction: 'down' } },
  { id: 'dearer', mode: 'each', filters: { direction: 'up', min_change_percent: 20 } },
  { id: 'prices', mode: 'each', filters: { min_price_change_percent: 20 } },
];

describe.skipIf(UPSTREAM_DATA === undefined).each(['litellm', 'openrouter'])('recorded days of %s', (upstream) => {
  test('are told as an independent reading of the published files says', { timeout: 300_000 }, async () => {
    const store = await openTemporaryStore({ versions: NEWEST });
    const control = await openDatabase(`sqlite:${join(await newFolder(), 'accounts.db')}`);
    try {
      const source = join(store.folder, '../recipe');
      await copyRecipe(upstream, source);
      for (const day of listDays(upstream)) {
        const files = loadRealDay(upstream, day);
        await writeRecipeDay(upstream, join(source, day), { files, reader: store.reader });
        expect(await store.night(source, day, { accept: true })).toMatchObject({ status: 'published' });
      }
      await addListeners(control, RATE_LISTENERS);
      // Recorded days lie far apart, and nights of more than thirty days ago are skipped: read them on the first day.
      const clock = () => new Date(`${listDays(upstream)[0]}T12:00:00Z`);
      await openPublisher(store, control, { clock }).publisher.poll();
      const counts = await expectTold(store, control, RATE_LISTENERS);
      expect(counts['pricing.updated']).toBeGreaterThan(500);
    } finally {
      await control.close();
      await store.dispose();
    }
  });
});

describe.skipIf(REAL_DATA === undefined)('real days (skipped where they are not beside the project)', () => {
  test.each(DAYS)(
    'are told as an independent reading of the published files says: $what',
    {
      timeout: 900_000,
    },
    async ({ from, to }) => {
      const store = await openTemporaryStore();
      const control = await openDatabase(`sqlite:${join(await newFolder(), 'accounts.db')}`);
      try {
        const source = REAL_DATA ?? '';
        const days = (await listSourceDays(source)).filter((day) => day >= from && day <= to);
        for (const day of days) {
          expect(await store.night(source, day)).toMatchObject({ status: 'published' });
        }
        await addListeners(control, LISTENERS);
        const clock = () => new Date(`${to}T12:00:00Z`);
        expect(await openPublisher(store, control, { clock }).publisher.poll()).toBe('published');
        const counts = await expectTold(store, control, LISTENERS);
        expect(
          Object.values(counts).every((count) => count > 0),
          JSON.stringify(counts),
        ).toBe(true);
      } finally {
        await control.close();
        await store.dispose();
      }
    },
  );
});
