import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { FOUND, NOT_FOUND } from '../../test/support/integrations/integration-subject.ts';
import { CheckMetrics } from './check-metrics.ts';
import type { CheckEvent } from './check-service.ts';

const claim = {} as CheckEvent['claim']; // Metrics don't look at whose check it was.

test('checks, changes and troubles are counted, and what is due and under way is told', async () => {
  const registry = new Registry();
  let isDown = false;
  const due = async () => {
    if (isDown) throw new Error('down');
    return 7;
  };
  const metrics = new CheckMetrics(registry, { inFlight: () => 3, due });
  metrics.onEvent({ type: 'checked', claim, evidence: FOUND, before: 'pending', after: 'verified' });
  metrics.onEvent({ type: 'checked', claim, evidence: NOT_FOUND, before: 'verified', after: 'verified' });
  metrics.onEvent({ type: 'put_off', claim, error: new Error('ours') });
  metrics.onEvent({ type: 'lost', claim });
  const text = await registry.metrics();
  for (const line of [
    'modelstats_integration_checks_total{reason="FOUND"} 1',
    'modelstats_integration_checks_total{reason="NOT_FOUND"} 1',
    'modelstats_integration_check_seconds_count 2',
    'modelstats_integration_changes_total{state="verified"} 1',
    'modelstats_integration_troubles_total 1',
    'modelstats_integration_in_flight 3',
    'modelstats_integration_due 7',
  ])
    expect(text.split('\n')).toContain(line);
  isDown = true;
  expect(await registry.metrics()).not.toMatch(/^modelstats_integration_due \d/m);
});
