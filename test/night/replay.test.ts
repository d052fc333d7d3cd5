/**
 * The product's first promise (specification "Replay"), kept the way a consumer would check it, in plain TypeScript: take
 * snapshot N, apply the events of the feed between its cursor and that of N+1, and hold snapshot N+1, byte for byte.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listSourceDays } from '../../pipeline/source/source-folder.ts';
import { ENTITY_TYPES } from '../../schemas/datasets.ts';
import {
  applyEvents,
  datasetFromEntityType,
  eventsOf,
  expectReplay,
  readFeed,
  textFromCopy,
} from '../support/pipeline/consumer.ts';
import { listReleases, readSnapshot } from '../support/pipeline/published.ts';
import { fixtureSource, openTemporaryStore, type TemporaryStore } from '../support/pipeline/temporary-store.ts';
import { DELETED_UPSTREAM, REAL_DATA } from '../support/real-data.ts';

let store: TemporaryStore;
beforeAll(async () => {
  store = await openTemporaryStore();
});
afterAll(() => store.dispose());

describe('replay over the fixture days', () => {
  it('gives every snapshot from the one before, byte for byte', { timeout: 180_000 }, async () => {
    const source = fixtureSource('days');
    for (const day of await listSourceDays(source)) {
      expect(await store.night(source, day)).toMatchObject({ status: 'published' });
    }
    await expectReplay(store);
  });

  it('gives the newest snapshot from nothing but the feed', async () => {
    const releases = await listReleases(store);
    const newest = releases.at(-1);
    if (newest === undefined) throw new Error('nothing was published');
    const events = await readFeed(store, releases);
    for (const entityType of ENTITY_TYPES) {
      const dataset = datasetFromEntityType(entityType);
      const copy = applyEvents(new Map(), eventsOf(dataset, events));
      expect(textFromCopy(dataset, copy)).toBe(await readSnapshot(store, newest, dataset));
    }
  });
});

/** The guard holds the first of these days: upstream really deleted that many scores. */
const REAL_DAYS = { from: '2025-12-12', to: '2025-12-23', accepted: DELETED_UPSTREAM };

describe.skipIf(REAL_DATA === undefined)(
  'replay over real days (skipped where they are not beside the project)',
  () => {
    let real: TemporaryStore;
    beforeAll(async () => {
      real = await openTemporaryStore();
    });
    afterAll(() => real.dispose());

    it('gives every snapshot from the one before, byte for byte', { timeout: 600_000 }, async () => {
      const source = REAL_DATA ?? '';
      const days = (await listSourceDays(source)).filter((day) => day >= REAL_DAYS.from && day <= REAL_DAYS.to);
      expect(days.length).toBeGreaterThan(10);
      for (const day of days) {
        const accept = day === REAL_DAYS.accepted;
        if (accept) expect(await real.night(source, day)).toMatchObject({ status: 'held' });
        expect(await real.night(source, day, { accept })).toMatchObject({ status: 'published' });
      }
      await expectReplay(real);
    });
  },
);
