import { fixtureSource, openTemporaryStore } from '../../test/nights.ts';
import { openTestApi, type TestApi, type TestApiOptions } from './test-api.ts';

/** The API over a store of its own with the first two days of fixtures/days. */
export async function openPublishedApi(options: TestApiOptions = {}): Promise<TestApi> {
  const store = await openTemporaryStore();
  for (const day of ['2026-06-01', '2026-06-02']) await store.night(fixtureSource(`days/${day}`), day);
  const api = await openTestApi(`file:${store.folder}`, { now: () => new Date('2026-06-03T12:00:00Z'), ...options });
  return {
    ...api,
    close: async () => {
      await api.close();
      await store.dispose();
    },
  };
}
