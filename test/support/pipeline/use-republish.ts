import { afterAll, afterEach, beforeAll, beforeEach, onTestFinished } from 'vitest';
import { type RepublishResult, republish } from '../../../pipeline/upkeep/republish/republish.ts';
import { verify } from '../../../pipeline/upkeep/verify.ts';
import type { CatalogEntry } from '../../../schemas/catalog.ts';
import { loadCatalog } from '../../../storage/catalog.ts';
import { RELEASE_PATHS, releaseKey } from '../../../storage/keys.ts';
import type { ObjectStore } from '../../../storage/object-store.ts';
import { useFolder } from '../temporary-folder.ts';
import { SAMPLE_DAYS } from './sample-store.ts';
import { openStoreFiles, type StoreFiles } from './store-files.ts';
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

export interface Republished {
  /** Three real nights of {@link SAMPLE_DAYS}, made once for a file of tests. */
  readonly nights: TemporaryStore;
  readonly entries: readonly CatalogEntry[];
  readonly work: string;
  /** A copy of the nights' store, for each test its own. */
  readonly main: StoreFiles;
  /** An empty store, for each test its own. */
  readonly mirror: StoreFiles;
  /** Another copy of the nights' store, until the test is over. */
  copy(): Promise<StoreFiles>;
  /** The key of a file of a day's release. */
  keyOf(day: string, path: string): string;
  republishDay(day: string, origin: ObjectStore, second?: ObjectStore): Promise<RepublishResult>;
  republishFrom(day: string, from: ObjectStore): Promise<RepublishResult>;
  problemsIn(store: ObjectStore): Promise<readonly unknown[]>;
}

/** Gives the tests of a file stores to damage and to repair; its parts can be read while a test runs. */
export function useRepublish(): Republished {
  let nights: TemporaryStore;
  const work = useFolder();
  let entries: readonly CatalogEntry[];
  let main: StoreFiles;
  let mirror: StoreFiles;
  beforeAll(async () => {
    nights = await openTemporaryStore();
    for (const day of SAMPLE_DAYS) await nights.night(fixtureSource('days'), day);
    entries = (await loadCatalog(nights.deps.store)).catalog?.releases ?? [];
  });
  afterAll(() => nights.dispose());
  beforeEach(async () => {
    main = await openStoreFiles(nights.folder);
    mirror = await openStoreFiles();
  });
  afterEach(() => Promise.all([main.dispose(), mirror.dispose()]));
  const deps = () => ({ ...upkeepDeps(work()), onFile: () => {} });
  return {
    get nights() {
      return nights;
    },
    get entries() {
      return entries;
    },
    get work() {
      return work();
    },
    get main() {
      return main;
    },
    get mirror() {
      return mirror;
    },
    copy: async () => {
      const copy = await openStoreFiles(nights.folder);
      onTestFinished(copy.dispose);
      return copy;
    },
    keyOf: (day, path) => {
      const entry = entries.find((candidate) => candidate.day === day);
      if (entry === undefined) throw new Error(`no night of ${day}`);
      return releaseKey(entry, path);
    },
    republishDay: (day, origin, second) => republish(day, { ...deps(), origin, second }),
    republishFrom: (day, from) => republish(day, { ...deps(), origin: main.store, second: undefined, from }),
    problemsIn: async (store) => (await verify('all', { ...verifyDeps(work()), store })).problems,
  };
}

/** Everything but what was fine, as `path status`. */
export function outcomesOf({ files }: RepublishResult): readonly string[] {
  return files.filter(({ status }) => status !== 'ok').map(({ path, status }) => `${path} ${status}`);
}
