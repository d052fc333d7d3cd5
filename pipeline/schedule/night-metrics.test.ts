import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { failed, response } from '../../test/support/schedule/fake-nights.ts';
import { RELEASE_FACTS } from '../../test/support/schedule/release-facts.ts';
import { NightMetrics } from './night-metrics.ts';
import type { NightEnd } from './run-day.ts';

const DAY = '2026-11-20';

function start() {
  const registry = new Registry();
  let now = new Date(`${DAY}T00:05:00Z`);
  const metrics = new NightMetrics(registry, { clock: () => now });
  return {
    metrics,
    attempt(end: NightEnd, attempt = 1) {
      metrics.onEvent({ type: 'night_started', day: DAY, attempt });
      now = new Date(now.getTime() + 60_000);
      metrics.onEvent({ type: 'night_ended', day: DAY, attempt, end });
    },
    async lines(part: string) {
      const text = await registry.metrics();
      return text.split('\n').filter((line) => line.startsWith(`modelstats_night_${part}`));
    },
  };
}
const unix = (time: string) => Date.parse(`${DAY}T${time}Z`) / 1000;

test('the last attempt tells its status, day, number, end, duration and what it set aside', async () => {
  const { attempt, lines } = start();
  attempt({ ...response('held', ['too few']), quarantined: 7, suspects_pending: 2 }, 3);
  expect(await lines('status')).toContain('modelstats_night_status{status="held"} 1');
  expect(await lines('day_')).toEqual([`modelstats_night_day_timestamp_seconds ${unix('00:00:00')}`]);
  expect(await lines('ended_')).toEqual([`modelstats_night_ended_timestamp_seconds ${unix('00:06:00')}`]);
  expect(await lines('seconds')).toEqual(['modelstats_night_seconds 60']);
  expect(await lines('attempts ')).toEqual(['modelstats_night_attempts 3']);
  expect(await lines('quarantined')).toEqual(['modelstats_night_quarantined 7']);
  expect(await lines('suspects')).toEqual(['modelstats_night_suspects_pending 2']);
});

test('since when a night is held stays through its retries, and goes when it is published', async () => {
  const { attempt, lines } = start();
  const since = (status: string, time: string) => [
    `modelstats_night_problem_since_timestamp_seconds{status="${status}"} ${unix(time)}`,
  ];
  attempt(failed('the store is down'));
  expect(await lines('problem_since')).toEqual(since('failed', '00:06:00'));
  attempt(response('held'), 2);
  attempt(response('held'), 3);
  expect(await lines('problem_since')).toEqual(since('held', '00:07:00'));
  attempt(response('already_published'), 4);
  expect(await lines('problem_since')).toEqual([]);
  expect(await lines('status')).toContain('modelstats_night_status{status="published"} 1');
  expect(await lines('attempts_total')).toEqual([
    'modelstats_night_attempts_total{status="published"} 1',
    'modelstats_night_attempts_total{status="held"} 2',
    'modelstats_night_attempts_total{status="rejected"} 0',
    'modelstats_night_attempts_total{status="failed"} 1',
  ]);
});

test('a day that is late, or held, is over when the store has it, whoever published it', async () => {
  const { metrics, attempt, lines } = start();
  attempt(response('held'));
  metrics.onEvent({ type: 'late', day: DAY, reason: 'not published by 12:00 UTC' });
  metrics.onEvent({ type: 'release_seen', day: '2026-11-19', release: RELEASE_FACTS });
  expect(await lines('late')).toEqual(['modelstats_night_late 1']);
  metrics.onEvent({ type: 'release_seen', day: DAY, release: RELEASE_FACTS });
  expect(await lines('late')).toEqual(['modelstats_night_late 0']);
  expect(await lines('status')).toContain('modelstats_night_status{status="published"} 1');
});
