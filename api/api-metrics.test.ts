import { expect, test } from 'vitest';
import { ApiMetrics } from './api-metrics.ts';

test('requests that are missing from the details of usage are counted', async () => {
  const metrics = new ApiMetrics();
  for (const requests of [1, 2]) metrics.onCountsDropped(requests);
  expect(await metrics.registry.metrics()).toContain('\nmodelstats_usage_details_dropped_total 3\n');
});
