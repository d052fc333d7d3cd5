import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { listen } from '../support/api/listen.ts';
import { openOwnApi } from '../support/api/use-api.ts';
import { DELETED_UPSTREAM, REAL_DATA } from '../support/real-data.ts';
import { newFolder } from '../support/temporary-folder.ts';
import { checkApi } from './check-api.ts';
import { createClient } from './client.ts';
import { ROUTES } from './routes.ts';
import { readStoredSnapshots } from './stored-snapshots.ts';
import { loadWorld } from './world.ts';

/** Days with deletions, models that vanish and come back, bad ids, million-fold prices, the first rankings, and gaps. */
const DAYS = [
  ...['2025-06-04', '2025-06-05', '2025-08-25', '2025-11-21', '2025-12-12', '2025-12-13', '2025-12-14', '2025-12-23'],
  ...['2026-01-14', '2026-03-10', '2026-03-19', '2026-03-20', '2026-04-22', '2026-06-05', '2026-06-29'],
];
const TODAY = '2026-07-02';
const SEED = 3;
/** This reading doesn't know LiteLLM's names of real providers; LiteLLM itself loads that export (scripts/litellm.sh). */
const READ = ROUTES.map(({ name }) => name).filter((name) => name !== 'export-litellm');

describe.skipIf(REAL_DATA === undefined)('the API over a sample of the real days', () => {
  test('answers as an independent reading of the raw files does', { timeout: 600_000 }, async () => {
    const root = await newFolder();
    const api = await openOwnApi({
      days: async (store) => {
        for (const day of DAYS) {
          await cp(join(REAL_DATA ?? '', day), join(root, day), { recursive: true });
          const { status } = await store.night(root, day, { accept: day === DELETED_UPSTREAM });
          expect(status, day).toBe('published');
        }
      },
      now: `${TODAY}T12:00:00Z`,
    });
    const world = loadWorld(root, { acceptedDays: [DELETED_UPSTREAM] });
    const state = { world, stored: readStoredSnapshots(api.store.folder), today: TODAY };
    const client = createClient(await listen(api.app));
    expect(await checkApi(client, state, { count: 500, seed: SEED, routes: READ, differencesMax: 5 })).toEqual([]);
  });
});
