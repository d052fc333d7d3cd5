import { afterAll, beforeAll } from 'vitest';
import type { TemporaryStore } from '../../test/nights.ts';
import { type GuardedApi, type GuardedOptions, openGuardedApi, publishSample } from './guarded-api.ts';

/** The guarded API of a test file. */
export interface GuardedSubject {
  /** Open while the tests run. */
  readonly api: GuardedApi;
  /** The store's folder, for further APIs over the same data. */
  readonly storeFolder: string;
}

/** Opens the API over a sample store before the tests of a file, and closes it after them. */
export function useGuardedApi(optionsOf: () => GuardedOptions | Promise<GuardedOptions> = () => ({})): GuardedSubject {
  const opened: { store?: TemporaryStore; api?: GuardedApi } = {};
  beforeAll(async () => {
    opened.store = await publishSample();
    opened.api = await openGuardedApi(opened.store.folder, await optionsOf());
  });
  afterAll(async () => {
    await opened.api?.close();
    await opened.store?.dispose();
  });
  return {
    get api() {
      if (opened.api === undefined) throw new Error('the API is open only while the tests run');
      return opened.api;
    },
    get storeFolder() {
      return opened.store?.folder ?? '';
    },
  };
}
