/**
 * Many tests need a store with some nights behind it, and few are about those nights. So a series of nights is run once in a run of
 * the tests, and every store that begins with it gets a copy of its own: the same bytes, as two runs of a night give them
 * (`test/night/same-twice.test.ts`), the same ids of runs, the same clock. A test about a night runs it itself.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { sha256 } from '../../../storage/hash.ts';
import type { TemporaryStore } from './temporary-store.ts';

/** Where the nights of this run of the tests are kept, set by `runner/scratch.setup.ts`; without it every store runs its own. */
export const KEPT_NIGHTS = 'KEPT_NIGHTS';

export interface KeptNight {
  /** Tells the night from all others of all tests: its source and its day. */
  readonly name: string;
  /** Rejects unless the night is published. */
  readonly run: (store: TemporaryStore) => Promise<unknown>;
}

/** Runs nights on a store, or copies them where nothing was done with the store yet and they were run before. */
export async function runNights(store: TemporaryStore, nights: readonly KeptNight[]): Promise<void> {
  const place = process.env[KEPT_NIGHTS];
  if (place === undefined || !store.isNew()) {
    for (const night of nights) await night.run(store);
    return;
  }
  const series = nights.map((_, index) => join(place, nameOf(store, nights.slice(0, index + 1))));
  const copied = series.findLastIndex((folder) => existsSync(folder));
  if (copied >= 0) await store.fill(series[copied] ?? '');
  for (const [index, night] of nights.entries()) {
    if (index <= copied) continue;
    await night.run(store);
    await store.keep(series[index] ?? '');
  }
}

function nameOf({ options }: TemporaryStore, nights: readonly KeptNight[]): string {
  return sha256(Buffer.from(JSON.stringify([options, nights.map(({ name }) => name)]))).slice(0, 32);
}
