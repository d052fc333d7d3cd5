import { configDefaults, defineConfig } from 'vitest/config';
import { LongestFirst } from './test/support/runner/longest-first.ts';

/**
 * Six suites, each run by a target of make: `default` needs nothing but this folder (`make test`), `s3` an S3 server
 * (`make test-s3`), `services` PostgreSQL and Redis (`make test-services`), `fuzz` Schemathesis and what makes clients of an OpenAPI
 * document (`make test-fuzz`), `nodes` other versions of Node (`make test-nodes`), `browser` Chromium and the scan of pages
 * (`make test-browser`). A test says with its file name where it belongs: `*.s3.test.ts` and so on; all other `*.test.ts` are of the
 * first.
 */
const [S3_TESTS, SERVICES_TESTS, FUZZ_TESTS] = ['**/*.s3.test.ts', '**/*.services.test.ts', '**/*.fuzz.test.ts'];
const [NODES_TESTS, BROWSER_TESTS] = ['**/*.nodes.test.ts', '**/*.browser.test.ts'];
const NOT_OURS = [...configDefaults.exclude, 'dist/**', '.tools/**', 'data/**', 'reports/**'];

/** Where to write the report from which `scripts/count-tests.mjs` counts; nowhere unless asked. */
const REPORT = process.env['TEST_REPORT'];

export default defineConfig({
  test: {
    reporters: REPORT === undefined ? ['default'] : ['default', ['json', { outputFile: REPORT }]],
    globalSetup: ['test/support/pipeline/keep-nights.setup.ts'],
    sequence: { sequencer: LongestFirst },
    // Processes, since DuckDB and SQLite are native: a crash ends the file that runs, and the others go on in a new process. A process
    // runs one file after the other (decision 0092).
    pool: 'forks',
    isolate: false,
    // DuckDB and zlib use threads of their own; more processes than this only make them wait for each other, but where tests wait for a
    // server: those on S3 have one more.
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
          exclude: [...NOT_OURS, S3_TESTS, SERVICES_TESTS, FUZZ_TESTS, NODES_TESTS, BROWSER_TESTS],
        },
      },
      { extends: true, test: { name: 's3', include: [S3_TESTS], exclude: NOT_OURS } },
      { extends: true, test: { name: 'services', include: [SERVICES_TESTS], exclude: NOT_OURS } },
      { extends: true, test: { name: 'fuzz', include: [FUZZ_TESTS], exclude: NOT_OURS } },
      { extends: true, test: { name: 'nodes', include: [NODES_TESTS], exclude: NOT_OURS } },
      { extends: true, test: { name: 'browser', include: [BROWSER_TESTS], exclude: NOT_OURS } },
    ],
    coverage: {
      provider: 'v8',
      reporter: ['text-summary', 'html', 'json-summary'],
      include: [
        '{schemas,database,storage,http,accounts,api,pipeline,webhooks,integrations,client,charts,console,public,guide,mcp,bin}/**/*.{ts,tsx}',
      ],
      exclude: ['**/*.test.{ts,tsx}', '**/*.contract.ts'],
    },
  },
});
