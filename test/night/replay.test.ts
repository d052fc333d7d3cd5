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
