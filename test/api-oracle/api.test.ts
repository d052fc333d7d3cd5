import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addDays, type Day } from '../../schemas/day.ts';
import { listen } from '../support/api/listen.ts';
import { openApi } from '../support/api/open-api.ts';
import { openTemporaryStore, type TemporaryStore } from '../support/pipeline/temporary-store.ts';
import { createChooser } from '../support/random.ts';
import { writeNastyDays } from '../worlds/nasty-days.ts';
import type { ApiState } from './api-state.ts';
import { checkApi } from './check-api.ts';
import { createClient } from './client.ts';
import { describeDifference } from './compare/difference.ts';
import { replayFeed } from './feed-replay.ts';
import { loadWorld } from './load-world.ts';
import { compareStoredSnapshots, readStoredSnapshots } from './stored-snapshots.ts';

/** Requests per run; more with API_REQUESTS. */
const REQUESTS = Number(process.env['API_REQUESTS'] ?? 600);
const SEED = Number(process.env['API_SEED'] ?? 1);
/** Days from the last night to the server's today: just after it, and so long after that old days need a `from`. */
const DAYS_LATER = [2, 415];

describe('the API over nasty days', () => {
  let root: string;
  let store: TemporaryStore;
  let state: Omit<ApiState, 'today'>;
  let lastDay: Day;

  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'modelstats-api-oracle-'));
    store = await openTemporaryStore();
    const days = await writeNastyDays(root, SEED);
    for (const day of days) {
      const { status } = await store.night(root, day, { accept: true });
      expect(status, day).toBe('published');
    }
    lastDay = days.at(-1) ?? '';
    const world = loadWorld(root, { acceptedDays: days });
    state = { world, retainedFrom: null, stored: readStoredSnapshots(store.folder) };
  }, 300_000);

  afterAll(async () => {
    await store.dispose();
    await rm(root, { recursive: true, force: true });
  });

  test('the store it serves holds the snapshots that an independent reading of the specification gives', () => {
    expect(compareStoredSnapshots(state.world, state.stored ?? new Map())).toEqual([]);
  });

  describe.each(DAYS_LATER)('%i days after the last night', (daysLater) => {
    const today = () => addDays(lastDay, daysLater);

    test('answers random requests as an independent reading of the specification does', {
      timeout: 600_000,
    }, async () => {
      const api = await openApi({ store: store.url, now: `${today()}T12:00:00Z` });
      try {
        const options = { count: REQUESTS, seed: SEED, differencesMax: 5 };
        const report = await checkApi(createClient(await listen(api.app)), { ...state, today: today() }, options);
        expect(report.differences.map(describeDifference)).toEqual([]);
      } finally {
        await api.close();
      }
    });

    test('gives every snapshot back through the feed', { timeout: 600_000 }, async () => {
      const api = await openApi({ store: store.url, now: `${today()}T12:00:00Z` });
      try {
        const replayed = await replayFeed(
          createClient(await listen(api.app)),
          { ...state, today: today() },
          createChooser(SEED),
        );
        expect(replayed.difference && describeDifference(replayed.difference)).toBeUndefined();
        expect(replayed.cursors).toBe(state.world.nights.length);
      } finally {
        await api.close();
      }
    });
  });
});
