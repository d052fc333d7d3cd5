import { beforeAll } from 'vitest';
import { type RepublishResult, republish } from '../../../pipeline/upkeep/republish/republish.ts';
import { verify } from '../../../pipeline/upkeep/verify.ts';
import { RELEASE_PATHS, releaseKey } from '../../../storage/keys.ts';
import type { ObjectStore } from '../../../storage/object-store.ts';
import { perTest } from '../per-test.ts';
import { useFolder } from '../temporary-folder.ts';
import { listReleases } from './published.ts';
import { SAMPLE_DAYS } from './sample-store.ts';
import { useStoreFiles } from './store-files.ts';
import { fixtureSource, openTemporaryStore, type TemporaryStore } from './temporary-store.ts';
import { upkeepDeps, verifyDeps } from './upkeep.ts';

/** Every file that a live release has of its own. */
export const RELEASE_FILES = [
  'changes.parquet',
  ...['models', 'benchmarks', 'scores', 'rankings', 'pricing'].flatMap((name) => [
    ...[`history/${name}.parquet`, `snapshot/${name}.jsonl.gz`, `state/${name}.parquet`],
  ]),
  ...['published', 'release.json', 'snapshot/manifest.json'],
  ...['state/removed.parquet', 'state/suspects.parquet', 'state/unpublished.parquet'],
];

/** What is rebuilt from each other and from nothing else. */
export const LOST_FOR_GOOD = [RELEASE_PATHS.state('scores'), RELEASE_PATHS.unpublished];

/** Gives the tests of a file stores to damage and to repair; its parts can be read while a test runs. */
export function useRepublish() {
  const work = useFolder();
  let nights: TemporaryStore;
  beforeAll(async () => {
    nights = await openTemporaryStore();
    for (const day of SAMPLE_DAYS) await nights.night(fixtureSource('days'), day);
    return nights.dispose;
  }, 180_000);
  return perTest(async () => {
    const [main, mirror] = [await useStoreFiles(nights.folder), await useStoreFiles()];
    const entries = await listReleases(nights);
    const deps = { ...upkeepDeps(work()), onFile: () => {} };
    return {
      /** Three real nights of {@link SAMPLE_DAYS}, made once for a file of tests. */
      nights,
      entries,
      work: work(),
      /** A copy of the nights' store, for each test its own. */
      main,
      /** An empty store, for each test its own. */
      mirror,
      /** Another copy of the nights' store, until the test is over. */
      copy: () => useStoreFiles(nights.folder),
      keyOf: (day: string, path: string) => {
        const entry = entries.find((candidate) => candidate.day === day);
        if (entry === undefined) throw new Error(`no night of ${day}`);
        return releaseKey(entry, path);
      },
      republishDay: (day: string, origin: ObjectStore, second?: ObjectStore) =>
        republish(day, { ...deps, origin, second }),
      republishFrom: (day: string, from: ObjectStore) =>
        republish(day, { ...deps, origin: main.store, second: undefined, from }),
      problemsIn: async (store: ObjectStore) => (await verify('all', { ...verifyDeps(work()), store })).problems,
    };
  });
}

/** Everything but what was fine, as `path status`. */
export function outcomesOf({ files }: RepublishResult): readonly string[] {
  return files.filter(({ status }) => status !== 'ok').map(({ path, status }) => `${path} ${status}`);
}
