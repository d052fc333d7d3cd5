import { ApiMetrics } from '../../../api/data/api-metrics.ts';
import { DigestMetrics } from '../../../api/digests/digest-metrics.ts';
import { CheckMetrics } from '../../../api/integrations/check-metrics.ts';
import { WebhookMetrics } from '../../../api/webhooks/webhook-metrics.ts';
import { openLog } from '../../../bin/cli/logger.ts';
import { configFromEnv } from '../../../bin/config/config.ts';
import { NoticeMetrics } from '../../../pipeline/notices/schedule-notices.ts';
import { NightMetrics } from '../../../pipeline/schedule/night-metrics.ts';

/** The names of all metrics that `serve` with all its parts registers, which are those of `schedule` and `dispatch`, too. */
export function metricNames(): ReadonlySet<string> {
  const metrics = new ApiMetrics();
  const { registry } = metrics;
  const clock = () => new Date();
  metrics.watchProblems(() => []);
  new NightMetrics(registry, { clock });
  new NoticeMetrics(registry);
  new WebhookMetrics(registry, {
    inFlight: () => 0,
    backlog: async () => ({ waiting: 0, oldestDueAt: undefined }),
    clock,
  });
  new CheckMetrics(registry, { inFlight: () => 0, due: async () => 0 });
  new DigestMetrics(registry, { due: async () => 0 });
  registry.registerMetric(openLog(configFromEnv({ MODELSTATS_LOG_LEVEL: 'silent' })).linesDropped);
  return new Set(registry.getMetricsAsArray().map(({ name }) => name));
}
