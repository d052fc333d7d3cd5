import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { RequestDurations } from './metrics.ts';

test('each answer counts in the buckets of its route and status that it fits in', async () => {
  const registry = new Registry();
  const durations = new RequestDurations(registry);
  for (const seconds of [0.0005, 0.001, 0.02, 11]) durations.observe('/v1/models', 200, seconds);
  durations.observe('/v1/models', 404, 0.3);
  const lines = (await registry.metrics()).split('\n');
  const sampleOf = (name: string, labels: string) =>
    lines
      .find((line) => line.startsWith(`modelstats_request_duration_seconds_${name}{${labels}} `))
      ?.split(' ')
      .at(-1);
  const of = (le: string, status = 200) => sampleOf('bucket', `le="${le}",route="/v1/models",status="${status}"`);
  expect(lines).toContain('# TYPE modelstats_request_duration_seconds histogram');
  expect(['0.001', '0.01', '0.025', '10', '+Inf'].map((le) => of(le))).toEqual(['2', '2', '3', '3', '4']);
  expect([of('0.25', 404), of('0.5', 404), of('+Inf', 404)]).toEqual(['0', '1', '1']);
  expect(Number(sampleOf('sum', 'route="/v1/models",status="200"'))).toBeCloseTo(11.0215);
  expect(sampleOf('count', 'route="/v1/models",status="200"')).toBe('4');
});
