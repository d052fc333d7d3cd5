/** What a night makes of a network and a server that fail or refuse it: it gets over it, or yesterday stays current and it says why. */
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { Database } from '../../storage/duckdb/database.ts';
import { CATALOG_KEY } from '../../storage/keys.ts';
import { readContents, type StoreContents } from '../support/pipeline/store-contents.ts';
import { type CliResult, FAILURE_AS_JSON, responsesFrom, runCli } from '../support/processes/cli.ts';
import type { Fault, FaultProxy } from '../support/processes/fault-proxy.ts';
import { describeOnMinio, type Minio } from '../support/processes/minio.ts';
import { isPutOf, S3Server, type S3Target } from '../support/processes/s3-target.ts';
import { useFolder } from '../support/temporary-folder.ts';
import { writeInventedDays } from '../worlds/invented-days.ts';

const DAYS = 30;
const SOURCE_SEED = 503;
const FEW_TRIES = { MODELSTATS_S3_ATTEMPTS_MAX: '2' };
const ALWAYS = Number.POSITIVE_INFINITY;
const BUSY: Fault = { is: 'answer', status: 503, code: 'SlowDown' };
const isUpload = isPutOf('releases/');
const isRelease = isPutOf('releases/', '/release.json');
const isSwap = isPutOf('', CATALOG_KEY);
vi.setConfig({ testTimeout: 120_000 });

/** A failed night, as an operator sees it. */
interface Failure {
  readonly code: number;
  /** What its one line on stderr must say, besides which store it was. */
  readonly says: readonly (string | RegExp)[];
}

/** A series of nights by the command on one store, in which each may meet a fault. */
describeOnMinio('a night', () => {
  const path = useFolder();
  let days: readonly string[];
  let database: Database;
  let server: S3Server;
  let proxy: FaultProxy;
  let minio: Minio;
  let target: S3Target;

  beforeAll(async () => {
    days = await writeInventedDays(path('source'), DAYS, SOURCE_SEED);
    database = await Database.open(':memory:', { memoryLimit: '256MB', threads: 1, tempFolder: path('spill') });
    server = await S3Server.start();
    ({ proxy, minio } = server);
    target = server.target(path('series'));
    expectStatus('published', await night()); // Yesterday.
    proxy.reset();
  });
  afterEach(() => proxy?.reset());
  afterAll(async () => {
    database?.close();
    await server?.stop();
  });

  const published = () => readContents(target.store, database);
  const nextDay = async () => days[(await published()).releases.length] ?? '';

  /** The night of the next day, or what further words make of it. */
  async function night(env: Readonly<Record<string, string>> = {}, ...further: readonly string[]): Promise<CliResult> {
    // Some of the invented days would be held by the guard, which is not what is tested here.
    const words = ['--source', path('source'), '--day', await nextDay(), '--accept', '--json', ...further];
    return runCli(['nightly', ...words], { env: { ...target.env, ...env } });
  }

  function expectStatus(status: string, { code, stdout, stderr }: CliResult): void {
    expect({ code, stderr, status: responsesFrom(stdout)[0]?.['status'] }).toEqual({ code: 0, stderr: '', status });
  }

  /** A night that meets a fault, unless it was reset, and publishes all the same, once. */
  async function expectSurvived(before?: StoreContents): Promise<void> {
    const { releases, events } = before ?? (await published());
    expectStatus('published', await night());
    const after = await published();
    expect(after.releases.slice(0, -1)).toEqual(releases);
    expect(after.events.slice(0, events.length)).toEqual(events);
    expect(after.events.map(([seq]) => seq)).toEqual(after.events.map((_, index) => index + 1));
  }

  function expectFailure({ code, says }: Failure, result: CliResult): void {
    const stdout = expect.stringMatching(FAILURE_AS_JSON);
    expect(result).toMatchObject({ code, stdout, stderr: expect.stringMatching(/^modelstats: .+\n$/) });
    for (const words of says) expect(result.stderr).toMatch(words);
  }

  /** A night that fails like this, leaves yesterday current and, run again without the fault, publishes. */
  async function expectFailed(failure: Failure, env: Readonly<Record<string, string>> = {}, mend = async () => {}) {
    const before = await published();
    const result = await night(env);
    proxy.reset();
    await mend();
    expectFailure(failure, result);
    expect(await published()).toEqual(before);
    await expectSurvived(before);
  }

  test('gets over a swap of the catalog whose answer is lost: it is published, once', async () => {
    proxy.failNext(isSwap, { is: 'answer-lost' });
    await expectSurvived();
    const swaps = proxy.requests.filter((line) => line.startsWith('PUT') && line.includes(CATALOG_KEY));
    expect(swaps).toHaveLength(2);
  });

  describe('ends with a clear error and leaves yesterday current, and run again it publishes, where', () => {
    test.each([
      ['from the start', () => true, /cannot \w+ \S+ in the store/],
      ['at the uploads', isUpload, /cannot write releases\/\S+ in the store/],
      ['at the swap', isSwap, 'cannot write catalog.json in the store'],
    ])('the store is too busy all the time %s', async (_, isMeant, doing) => {
      proxy.failNext(isMeant, BUSY, ALWAYS);
      const says = [doing, `${proxy.endpoint} is overloaded or limits requests`, 'SlowDown 503'];
      await expectFailed({ code: 1, says }, FEW_TRIES);
    });

    test('an upload fails: no other one begins any more', async () => {
      proxy.failNext(isUpload, BUSY, ALWAYS);
      expectFailure({ code: 1, says: ['is overloaded'] }, await night(FEW_TRIES));
      const tried = proxy.requests.filter((line) => line.startsWith('PUT') && line.includes('/releases/'));
      expect(new Set(tried).size).toBeLessThanOrEqual(4); // MODELSTATS_UPLOADS_MAX
      proxy.reset();
      await expectSurvived();
    });

    test('the key is wrong, with exit code 2', async () => {
      const says = [`${proxy.endpoint} refuses these credentials`, 'AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY'];
      await expectFailed({ code: 2, says }, { AWS_ACCESS_KEY_ID: 'AKIAWRONG' });
    });

    test('there are no credentials, with exit code 2', async () => {
      const none = { AWS_ACCESS_KEY_ID: '', AWS_SECRET_ACCESS_KEY: '', AWS_EC2_METADATA_DISABLED: 'true' };
      const nowhere = { AWS_SHARED_CREDENTIALS_FILE: '/dev/null', AWS_CONFIG_FILE: '/dev/null' };
      const says = ['credentials are missing: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY'];
      await expectFailed({ code: 2, says }, { ...none, ...nowhere });
    });

    test('the store ignores conditions, with exit code 2', async () => {
      const accepted: Fault = { is: 'answer', status: 200, code: '', headers: { etag: '"1"' } };
      proxy.plan = ({ headers }) => (headers['if-match'] === undefined ? undefined : accepted);
      const failure = { code: 2, says: ["can't be written to safely", proxy.endpoint, 'conditional writes'] };
      expectFailure(failure, await runCli(['catalog', 'rebuild', '--force', '--json'], target));
      expect(await runCli(['status'], target)).toMatchObject({ code: 0, stderr: '' });
      expect(proxy.requests.filter((line) => /^(PUT|POST)/.test(line) && !line.includes('.probe-'))).toEqual([]);
      await expectFailed(failure);
    });

    test('the store falls silent: after the time that is set', async () => {
      proxy.failNext(isUpload, { is: 'silence' }, ALWAYS);
      const says = [/cannot write releases\/\S+ in the store/, `${proxy.endpoint} did not respond in time`];
      await expectFailed({ code: 1, says }, { ...FEW_TRIES, MODELSTATS_S3_IDLE_TIMEOUT_MS: '1000' });
      proxy.failNext(isUpload, { is: 'silence' }, ALWAYS);
      await expectFailed({ code: 1, says }, { ...FEW_TRIES, MODELSTATS_S3_REQUEST_TIMEOUT_MS: '1000' });
    });

    test.each([
      ['the last file', isRelease, /cannot write releases\/\S+\/release.json in the store/],
      ['release.json', isSwap, 'cannot write catalog.json in the store'],
    ])('the server is killed after %s and before the swap', async (_, isNext, doing) => {
      proxy.failNext(isNext, { is: 'after', work: () => minio.kill() });
      const says = [doing, `the connection to ${proxy.endpoint} broke`];
      await expectFailed({ code: 1, says }, FEW_TRIES, () => minio.run());
    });
  });

  test('that can’t learn what became of its swap says so, and run again finds itself published', async () => {
    const day = await nextDay();
    proxy.plan = (proxied) => {
      if (!isSwap(proxied)) return undefined;
      proxy.plan = () => BUSY;
      return { is: 'answer-lost' };
    };
    const says = ['cannot write catalog.json in the store', 'is overloaded'];
    expectFailure({ code: 1, says }, await night(FEW_TRIES));
    proxy.reset();
    const { releases } = await published();
    expect(releases.at(-1)?.day).toBe(day);
    expectStatus('already_published', await night({}, '--day', day));
    expect((await published()).releases).toEqual(releases);
    await expectSurvived();
  });

  test('that is a dry run needs no right to write', async () => {
    const before = await published();
    const denied: Fault = { is: 'answer', status: 403, code: 'AccessDenied' };
    proxy.plan = ({ method }) => (method === 'GET' || method === 'HEAD' ? undefined : denied);
    expectStatus('dry_run', await night({}, '--dry-run'));
    expect(await published()).toEqual(before);
  });
});
