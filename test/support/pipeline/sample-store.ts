import type { Day } from '../../../runtime/day.ts';
import { fixtureSource, openTemporaryStore, type TemporaryStore } from './temporary-store.ts';

/** The days of the sample store; its snapshots are theirs. */
export const SAMPLE_DAYS: readonly [Day, Day, Day] = ['2026-06-01', '2026-06-02', '2026-06-03'];
/** A model that is there on each of them. */
export const MODEL = 'aurora-2';

export async function openSampleStore(): Promise<TemporaryStore> {
  const store = await openTemporaryStore();
  await publishFixtureDays(store, SAMPLE_DAYS);
  return store;
}

/** Publishes days of fixtures/days, without that source's settings. */
export function publishFixtureDays(store: TemporaryStore, days: readonly Day[]): Promise<void> {
  return publishDays(store, days, (day) => fixtureSource(`days/${day}`));
}

/** Publishes dated folders of a source of fixtures/ with its settings. */
export function publishFromFixture(name: string, store: TemporaryStore, days: readonly Day[]): Promise<void> {
  return publishDays(store, days, () => fixtureSource(name));
}

/** Publishes days of sources; throws where one is not published. */
export async function publishDays(
  store: TemporaryStore,
  days: readonly Day[],
  sourceOf: (day: Day) => string,
): Promise<void> {
  for (const day of days) {
    const { status, ...more } = await store.night(sourceOf(day), day);
    if (status !== 'published') throw new Error(`${day} of ${sourceOf(day)} is ${status}: ${JSON.stringify(more)}`);
  }
}
