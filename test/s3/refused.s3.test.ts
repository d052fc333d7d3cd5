/** What an operator has to repair before a night can use a store: each is refused at once, with the setting's name. */
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { runCli } from '../support/processes/cli.ts';
import type { Fault, FaultProxy } from '../support/processes/fault-proxy.ts';
import { describeOnMinio } from '../support/processes/minio.ts';
import { S3Series } from '../support/processes/s3-series.ts';
import { isPutOf } from '../support/processes/s3-target.ts';

const ALWAYS = Number.POSITIVE_INFINITY;
vi.setConfig({ testTimeout: 120_000 });

describeOnMinio('a night', () => {
  let series: S3Series;
  let proxy: FaultProxy;

  beforeAll(async () => {
    series = await S3Series.begin();
    ({ proxy } = series.server);
  });
  afterEach(() => proxy?.reset());
  afterAll(() => series?.end());

  describe('is refused with exit code 2, and publishes when repaired, where', () => {
    test.each<[string, Record<string, string>]>([
      ['key', { AWS_ACCESS_KEY_ID: 'AKIAWRONG' }],
      ['secret', { AWS_SECRET_ACCESS_KEY: 'not-the-secret' }],
    ])('the %s is wrong', async (_, env) => {
      const says = [`${proxy.endpoint} refuses these credentials`, 'AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY'];
      await series.expectFailed({ code: 2, says }, env);
    });

    test('there are no credentials', async () => {
      const none = { AWS_ACCESS_KEY_ID: '', AWS_SECRET_ACCESS_KEY: '', AWS_EC2_METADATA_DISABLED: 'true' };
      const nowhere = { AWS_SHARED_CREDENTIALS_FILE: '/dev/null', AWS_CONFIG_FILE: '/dev/null' };
      const says = ['there are no credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY'];
      await series.expectFailed({ code: 2, says }, { ...none, ...nowhere });
    });

    test('the right to swap the catalog is missing', async () => {
      proxy.failNext(isPutOf('', 'catalog.json'), { is: 'answer', status: 403, code: 'AccessDenied' }, ALWAYS);
      const says = ['cannot write catalog.json in the store', 'the credentials lack a right', 's3:PutObject'];
      await series.expectFailed({ code: 2, says });
    });

    test.each([
      ['If-None-Match', 'overwrites an object that must not exist'],
      ['If-Match', 'replaces a version that it no longer has'],
    ])('the store ignores %s', async (header, why) => {
      const accepted: Fault = { is: 'answer', status: 200, code: '', headers: { etag: '"1"' } };
      proxy.plan = ({ headers }) => (headers[header.toLowerCase()] === undefined ? undefined : accepted);
      const failure = { code: 2, says: ["can't be written to safely", proxy.endpoint, why, 'conditional writes'] };
      series.expectFailure(failure, await runCli(['catalog', 'rebuild', '--force', '--json'], series.target));
      expect(await runCli(['status'], series.target)).toMatchObject({ code: 0, stderr: '' });
      expect(proxy.requests.filter((line) => /^(PUT|POST)/.test(line) && !line.includes('.probe-'))).toEqual([]);
      await series.expectFailed(failure);
    });
  });

  test('that is a dry run needs no right to write', async () => {
    const before = await series.published();
    const denied: Fault = { is: 'answer', status: 403, code: 'AccessDenied' };
    proxy.plan = ({ method }) => (method === 'GET' || method === 'HEAD' ? undefined : denied);
    series.expectStatus('dry_run', await series.night({}, ['--dry-run']));
    expect(await series.published()).toEqual(before);
  });

  test('whose clock the store keeps refusing ends with exit code 1 and says that it is the clock', async () => {
    proxy.failNext(() => true, { is: 'answer', status: 403, code: 'RequestTimeTooSkewed' }, ALWAYS);
    const says = [`the clock of this machine is too far from that of ${proxy.endpoint}: set it`];
    await series.expectFailed({ code: 1, says });
  });
});
