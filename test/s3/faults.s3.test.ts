/** What a night makes of a network and a server that fail or refuse it: it gets over it, or yesterday stays current and it says why. */
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { CATALOG_KEY } from '../../storage/keys.ts';
import { runCli } from '../support/processes/cli.ts';
import type { Fault, FaultProxy } from '../support/processes/fault-proxy.ts';
import { describeOnMinio, type Minio } from '../support/processes/minio.ts';
import { S3Series } from '../support/processes/s3-series.ts';
import { isPutOf } from '../support/processes/s3-target.ts';

const FEW_TRIES = { MODELSTATS_S3_ATTEMPTS_MAX: '2' };
const ALWAYS = Number.POSITIVE_INFINITY;
const BUSY: Fault = { is: 'answer', status: 503, code: 'SlowDown' };
const isUpload = isPutOf('releases/');
const isRelease = isPutOf('releases/', '/release.json');
const isSwap = isPutOf('', CATALOG_KEY);
vi.setConfig({ testTimeout: 120_000 });

describeOnMinio('a night', () => {
  let series: S3Series;
  let proxy: FaultProxy;
  let minio: Minio;

  beforeAll(async () => {
    series = await S3Series.begin();
    ({ proxy, minio } = series.server);
  });
  afterEach(() => proxy?.reset());
  afterAll(() => series?.end());

  test('gets over a swap of the catalog whose answer is lost: it is published, once', async () => {
    proxy.failNext(isSwap, { is: 'answer-lost' });
    await series.expectSurvived();
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
      const says = [doing, `${proxy.endpoint} is overloaded or asks to slow down`, 'SlowDown 503'];
      await series.expectFailed({ code: 1, says }, FEW_TRIES);
    });

    test('an upload fails: no other one begins any more', async () => {
      proxy.failNext(isUpload, BUSY, ALWAYS);
      series.expectFailure({ code: 1, says: ['is overloaded'] }, await series.night(FEW_TRIES));
      const tried = proxy.requests.filter((line) => line.startsWith('PUT') && line.includes('/releases/'));
      expect(new Set(tried).size).toBeLessThanOrEqual(4); // MODELSTATS_UPLOADS_MAX
      proxy.reset();
      await series.expectSurvived();
    });

    test('the key is wrong, with exit code 2', async () => {
      const says = [`${proxy.endpoint} refuses these credentials`, 'AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY'];
      await series.expectFailed({ code: 2, says }, { AWS_ACCESS_KEY_ID: 'AKIAWRONG' });
    });

    test('there are no credentials, with exit code 2', async () => {
      const none = { AWS_ACCESS_KEY_ID: '', AWS_SECRET_ACCESS_KEY: '', AWS_EC2_METADATA_DISABLED: 'true' };
      const nowhere = { AWS_SHARED_CREDENTIALS_FILE: '/dev/null', AWS_CONFIG_FILE: '/dev/null' };
      const says = ['there are no credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY'];
      await series.expectFailed({ code: 2, says }, { ...none, ...nowhere });
    });

    test('the store ignores conditions, with exit code 2', async () => {
      const accepted: Fault = { is: 'answer', status: 200, code: '', headers: { etag: '"1"' } };
      proxy.plan = ({ headers }) => (headers['if-match'] === undefined ? undefined : accepted);
      const failure = { code: 2, says: ["can't be written to safely", proxy.endpoint, 'conditional writes'] };
      series.expectFailure(failure, await runCli(['catalog', 'rebuild', '--force', '--json'], series.target));
      expect(await runCli(['status'], series.target)).toMatchObject({ code: 0, stderr: '' });
      expect(proxy.requests.filter((line) => /^(PUT|POST)/.test(line) && !line.includes('.probe-'))).toEqual([]);
      await series.expectFailed(failure);
    });

    test('the store falls silent: after the time that is set', async () => {
      proxy.failNext(isUpload, { is: 'silence' }, ALWAYS);
      const says = [/cannot write releases\/\S+ in the store/, `${proxy.endpoint} did not answer in time`];
      await series.expectFailed({ code: 1, says }, { ...FEW_TRIES, MODELSTATS_S3_IDLE_TIMEOUT_MS: '1000' });
      proxy.failNext(isUpload, { is: 'silence' }, ALWAYS);
      await series.expectFailed({ code: 1, says }, { ...FEW_TRIES, MODELSTATS_S3_REQUEST_TIMEOUT_MS: '1000' });
    });

    test.each([
      ['the last file', isRelease, /cannot write releases\/\S+\/release.json in the store/],
      ['release.json', isSwap, 'cannot write catalog.json in the store'],
    ])('the server is killed after %s and before the swap', async (_, isNext, doing) => {
      proxy.failNext(isNext, { is: 'after', work: () => minio.kill() });
      const says = [doing, `the connection to ${proxy.endpoint} broke`];
      await series.expectFailed({ code: 1, says }, FEW_TRIES, () => minio.run());
    });
  });

  test('that can’t learn what became of its swap says so, and run again finds itself published', async () => {
    const day = await series.nextDay();
    proxy.plan = (proxied) => {
      if (!isSwap(proxied)) return undefined;
      proxy.plan = () => BUSY;
      return { is: 'answer-lost' };
    };
    const says = ['cannot write catalog.json in the store', 'is overloaded'];
    series.expectFailure({ code: 1, says }, await series.night(FEW_TRIES));
    proxy.reset();
    const { releases } = await series.published();
    expect(releases.at(-1)?.day).toBe(day);
    series.expectStatus('already_published', await series.night({}, ['--day', day]));
    expect((await series.published()).releases).toEqual(releases);
    await series.expectSurvived();
  });
  test('that is a dry run needs no right to write', async () => {
    const before = await series.published();
    const denied: Fault = { is: 'answer', status: 403, code: 'AccessDenied' };
    proxy.plan = ({ method }) => (method === 'GET' || method === 'HEAD' ? undefined : denied);
    series.expectStatus('dry_run', await series.night({}, ['--dry-run']));
    expect(await series.published()).toEqual(before);
  });
});
