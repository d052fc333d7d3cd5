import type { Day } from '../../../schemas/day.ts';
import { type KeptNight, runNights } from './kept-nights.ts';
import { fixtureSource, type NightOptions, openTemporaryStore, type TemporaryStore } from './temporary-store.ts';

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

/** Publishes days of fixtures/days, without that source's settings; see {@link runNights}. */
export function publishFixtureDays(store: TemporaryStore, days: readonly Day[]): Promise<void> {
  return runNights(
    store,
    days.map((day) => nightOf(fixtureSource(`days/${day}`), day)),
  );
}

/** Publishes dated folders of a source of fixtures/ with its settings; see {@link runNights}. */
export function publishFromFixture(name: string, store: TemporaryStore, days: readonly Day[]): Promise<void> {
  return runNights(
    store,
    days.map((day) => nightOf(fixtureSource(name), day)),
  );
}

/** The night of a day of a source that stays as it is while the tests run. */
export function nightOf(source: string, day: Day, options: NightOptions = {}): KeptNight {
  return {
    name: `${day} of ${source}`,
    run: async (store) => {
      const { status, ...more } = await store.night(source, day, options);
      if (status !== 'published') throw new Error(`${day} of ${source} is ${status}: ${JSON.stringify(more)}`);
    },
  };
}
