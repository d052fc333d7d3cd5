import { expect, test } from 'vitest';
import { RELEASE_FACTS } from '../../test/support/schedule/release-facts.ts';
import { ApiMetrics } from './api-metrics.ts';

test('requests that are missing from the details of usage are counted', async () => {
  const metrics = new ApiMetrics();
  for (const requests of [1, 2]) metrics.onCountsDropped(requests);
  expect(await metrics.registry.metrics()).toContain('\nmodelstats_usage_details_dropped_total 3\n');
});

test('the newest release tells its day, when it was published and what it left out', async () => {
  const metrics = new ApiMetrics();
  metrics.onRelease(RELEASE_FACTS);
  const text = await metrics.registry.metrics();
  expect(text).toContain('modelstats_release_day_timestamp_seconds 1780444800\n');
  expect(text).toContain('modelstats_release_published_timestamp_seconds 1780445220\n');
  expect(text).toContain('modelstats_release_quarantined 3\n');
  expect(text).toContain('modelstats_release_suspects_pending 4\n');
});

test('since when files of upstreams are missing is told of the newest release, and of no other', async () => {
  const metrics = new ApiMetrics();
  const file = {
    upstream: 'shop',
    url: 'https://shop.test/a',
    file: 'a.json',
    status: 'failed' as const,
    bytes: null,
    sha256: null,
    fetched_at: null,
    checked_at: '2026-06-03T00:05:00Z',
    problem: 'shop.test answered 503',
    unzipped: null,
    failed_since: '2026-06-02',
  };
  const fetched = [file, { ...file, file: 'b.json', status: 'fetched' as const, failed_since: null }];
  metrics.onRelease({ ...RELEASE_FACTS, fetched });
  const line = 'modelstats_upstream_failed_since_timestamp_seconds{upstream="shop",file="a.json"} 1780358400\n';
  expect(await metrics.registry.metrics()).toContain(line);
  expect(await metrics.registry.metrics()).not.toContain('file="b.json"');
  metrics.onRelease(RELEASE_FACTS);
  expect(await metrics.registry.metrics()).not.toContain('shop');
});

test('the problem of each part is a gauge by part and code, while it lasts', async () => {
  const metrics = new ApiMetrics();
  const problems: Parameters<ApiMetrics['watchProblems']>[0] = () => found;
  let found: ReturnType<typeof problems> = [
    { part: 'view', code: 'corrupt' },
    { part: 'accounts', code: 'unavailable' },
  ];
  metrics.watchProblems(problems);
  const readProblems = async () => (await metrics.registry.metrics()).match(/^modelstats_problem\{.*$/gm);
  expect(await readProblems()).toEqual([
    'modelstats_problem{part="view",code="corrupt"} 1',
    'modelstats_problem{part="accounts",code="unavailable"} 1',
  ]);
  found = [{ part: 'view', code: 'store_unavailable' }];
  expect(await readProblems()).toEqual(['modelstats_problem{part="view",code="store_unavailable"} 1']);
  found = [];
  expect(await readProblems()).toBeNull();
});
