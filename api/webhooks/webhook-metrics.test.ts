import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import type { Backlog } from './queue/delivery.ts';
import { WebhookMetrics } from './webhook-metrics.ts';

const NOW = new Date('2026-11-20T12:00:00Z');
const linesOf = (text: string) => text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));

function makeMetrics(backlog: () => Promise<Backlog>) {
  const registry = new Registry();
  let [now, asked] = [NOW, 0];
  const metrics = new WebhookMetrics(registry, {
    inFlight: () => 3,
    clock: () => now,
    backlog: () => {
      asked += 1;
      return backlog();
    },
  });
  return {
    metrics,
    lines: async () => linesOf(await registry.metrics()),
    pass: (ms: number) => {
      now = new Date(now.getTime() + ms);
    },
    asked: () => asked,
  };
}

test('counts attempts by kind and outcome, endpoints, what was dropped, and troubles', async () => {
  const { metrics, lines } = makeMetrics(async () => ({ waiting: 7, oldestDueAt: new Date(NOW.getTime() - 90_000) }));
  const attempt = { deliveryId: 'dlv_1', endpointId: 'whe_1', attempt: 1, status: null, durationMs: 300 } as const;
  metrics.onEvent({ type: 'attempted', kind: 'event', outcome: 'timeout', ...attempt });
  metrics.onEvent({ type: 'attempted', kind: 'ping', outcome: 'delivered', ...attempt });
  metrics.onEvent({ type: 'activated', endpointId: 'whe_1' });
  metrics.onEvent({ type: 'revoked', endpointId: 'whe_1' });
  metrics.onEvent({ type: 'dropped', endpointId: 'whe_1', deliveries: 5 });
  metrics.onEvent({ type: 'trouble', error: new Error('no'), retryMs: 1 });
  expect(await lines()).toEqual(
    expect.arrayContaining([
      'modelstats_webhook_attempts_total{kind="event",outcome="timeout"} 1',
      'modelstats_webhook_attempts_total{kind="ping",outcome="delivered"} 1',
      'modelstats_webhook_attempt_seconds_count 2',
      'modelstats_webhook_endpoint_changes_total{state="active"} 1',
      'modelstats_webhook_endpoint_changes_total{state="revoked"} 1',
      'modelstats_webhook_dropped_total 5',
      'modelstats_webhook_troubles_total 1',
      'modelstats_webhook_in_flight 3',
      'modelstats_webhook_waiting 7',
      'modelstats_webhook_oldest_due_seconds 90',
    ]),
  );
});

test('counts what waits at most every 15 seconds, and tells the rest while that can not be counted', async () => {
  let isDown = false;
  const tested = makeMetrics(async () => {
    if (isDown) throw new Error('no answer');
    return { waiting: 0, oldestDueAt: undefined };
  });
  expect(await tested.lines()).toContain('modelstats_webhook_oldest_due_seconds 0');
  tested.pass(14_000);
  await tested.lines();
  expect(tested.asked()).toBe(1);
  isDown = true;
  tested.pass(1_000);
  const lines = await tested.lines();
  expect(lines).toContain('modelstats_webhook_in_flight 3');
  expect(lines.filter((line) => line.startsWith('modelstats_webhook_waiting'))).toEqual([]);
});
