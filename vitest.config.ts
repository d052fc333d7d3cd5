import { join } from 'node:path';
import { configDefaults, defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { LongestFirst } from './test/support/runner/longest-first.ts';
import { SlowestFiles } from './test/support/runner/slowest-files.ts';

/**
 * A suite per target of make. A test file says with its name to which it belongs: `*.s3.test.ts` to `make test-s3`, and so on; all other
 * `*.test.ts` are `make test`, the default suite. test/README.md says what each needs.
 */
const SUITES = ['long', 's3', 'services', 'fuzz', 'nodes', 'browser'] as const;
const filesOf = (suite: string) => `**/*.${suite}.test.ts`;
const NOT_OURS = [...configDefaults.exclude, 'dist/**', '.tools/**', 'data/**', 'reports/**'];

/** Seconds of processor time that a file of the default suite may take: what takes longer belongs to `make test-long`. */
const DEFAULT_SECONDS_MAX = 20;

/** Where to write the report from which `scripts/count-tests.mjs` counts; nowhere unless asked. */
const REPORT = process.env['TEST_REPORT'];
const reports: ['json', { outputFile: string }][] = REPORT === undefined ? [] : [['json', { outputFile: REPORT }]];

/** Files of the default suite that the long one runs again, with more of what they try. */
const WITH_MORE = [
  'api/data/queries/model-search.test.ts',
  'api/data/routes/cost.test.ts',
  'api/view/feed.property.test.ts',
  'api/view/follow/damaged-file.test.ts',
  'api/view/follow/full-disk.test.ts',
  'client/sync/copies/open-copy.test.ts',
  'test/api-oracle/api.test.ts',
  'test/api/lifecycle-worlds.test.ts',
  'test/api/list-worlds.test.ts',
  'test/api/lists.test.ts',
  'test/api/pricing-worlds.test.ts',
  'test/api/removed-worlds.test.ts',
  'test/night-oracle/random-days.test.ts',
  'test/sync/faults.test.ts',
  'test/webhook-events/random-days.test.ts',
];
const WITH_MORE_OF = {
  RANDOM_SERIES: '20',
  SYNC_ROUNDS: '20',
  NASTY_NIGHTS: '16',
  API_REQUESTS: '300',
  PROPERTY_RUNS: '150',
  FLIPS_PER_PAGE: '4',
  FULL_DISKS: 'all',
  LISTS: 'all',
};
const LONG = { include: [filesOf('long'), ...WITH_MORE], env: WITH_MORE_OF };

const suites = SUITES.map((name): TestProjectInlineConfiguration => {
  const files = name === 'long' ? LONG : { include: [filesOf(name)] };
  return { extends: true, test: { name, ...files, exclude: NOT_OURS } };
});

export default defineConfig({
  test: {
    reporters: ['default', new SlowestFiles(), ...reports],
    // Processes that tests start read the program as V8 compiled it for the first of them.
    env: { NODE_COMPILE_CACHE: join(import.meta.dirname, 'node_modules/.cache/compiled') },
    globalSetup: ['test/support/runner/scratch.setup.ts'],
    setupFiles: ['test/support/runner/processor-time.setup.ts'],
    sequence: { sequencer: LongestFirst },
    // Processes, since DuckDB and SQLite are native: a crash ends the file that runs, and the others go on in a new process. A process
    // runs one file after the other (decision 0092).
    pool: 'forks',
    isolate: false,
    // DuckDB and zlib use threads of their own; more processes than this only make them wait for each other, but where tests wait for
    // servers, processes and timers: the default suite and the one on S3 have one more (package.json).
    maxWorkers: 2,
    // Tests across folders start real processes and real databases, which a busy machine slows.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 10_000 } },
    projects: [
      {
        extends: true,
        test: {
          name: 'default',
          include: ['**/*.test.{ts,tsx}'],
          exclude: [...NOT_OURS, ...SUITES.map(filesOf)],
          provide: { processorSecondsMax: DEFAULT_SECONDS_MAX },
        },
      },
      ...suites,
    ],
    coverage: {
      provider: 'v8',
      reporter: ['text-summary', 'html', 'json-summary'],
      include: ['{runtime,schemas,storage,pipeline,api,client,bin}/**/*.{ts,tsx}'],
      exclude: ['**/*.test.{ts,tsx}', '**/*.contract.ts'],
    },
  },
});
