import type { Day } from '../../../schemas/day.ts';
import { fixtureSource, openTemporaryStore, type TemporaryStore } from './temporary-store.ts';

/** The days of the sample store; its snapshots are theirs. */
export const SAMPLE_DAYS: readonly [Day, Day, Day] = ['2026-06-01', '2026-06-02', '2026-06-03'];
/** A model that is there on each of them. */
export const MODEL = 'aurora-2';

/** A store with the sample days in it. */
export async function openSampleStore(): Promise<TemporaryStore> {
  const store = await openTemporaryStore();
  await publishFixtureDays(store, SAMPLE_DAYS);
  return store;
}

/** Publishes days of fixtures/days, without that source's settings. */
export async function publishFixtureDays(store: TemporaryStore, days: readonly Day[]): Promise<void> {
  for (const day of days) await store.night(fixtureSource(`days/${day}`), day);
}
