import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { NoticeMetrics } from './notice-metrics.ts';

test('notices are counted by kind and by whether they were taken, from nothing on', async () => {
  const registry = new Registry();
  const metrics = new NoticeMetrics(registry);
  const lines = async () => (await registry.metrics()).split('\n').filter((line) => line.includes('kind="held"'));
  const [taken, failed] = ['taken', 'failed'].map(
    (result) => `modelstats_notices_total{kind="held",result="${result}"}`,
  );
  expect(await lines()).toEqual([`${taken} 0`, `${failed} 0`]);
  metrics.onSent('held', true);
  metrics.onSent('held', false);
  metrics.onSent('held', false);
  expect(await lines()).toEqual([`${taken} 1`, `${failed} 2`]);
});
