import { Metrics } from '../../../api/server/metrics.ts';
import { shownAddress } from '../../../runtime/shown-address.ts';
import type { CommandContext } from '../../cli/command.ts';
import { openLog } from '../../cli/logger.ts';
import { openMetricsPort } from '../../cli/ports.ts';
import { firstSignal } from '../../cli/process-events.ts';
import { openConfiguredDatabase } from '../../config/configured-accounts.ts';
import { openConfiguredStore, refuseWrongStore } from '../../config/configured-store.ts';
import { type RunningChecks, startChecks } from './running-checks.ts';
import { type RunningDigests, startDigests } from './running-digests.ts';
import { startWebhooks } from './running-webhooks.ts';

export async function runDispatch(context: CommandContext, { json }: { readonly json: boolean }): Promise<number> {
  const { config } = context;
  const { log, linesDropped } = openLog(config, { isBusy: true });
  const stopRequested = firstSignal({ onSecond: () => undefined });
  const store = await openConfiguredStore(config, 'read');
  await refuseWrongStore(store);
  const database = await openConfiguredDatabase(config, { log });
  try {
    const metrics = new Metrics();
    metrics.registry.registerMetric(linesDropped);
    const webhooks = await startWebhooks(context, { database, store, log, registry: metrics.registry });
    let checks: RunningChecks | undefined;
    let digests: RunningDigests | undefined;
    try {
      checks = await startChecks(context, { database, log, registry: metrics.registry });
      digests = await startDigests(context, { database, store, log, registry: metrics.registry });
      const port = await openMetricsPort(config, metrics);
      context.log(`sending webhooks for releases of ${shownAddress(config.places.store)}`);
      if (port !== undefined) context.log(`metrics at ${port.url}`);
      if (json) context.print(JSON.stringify({ status: 'dispatching', metrics_url: port?.url ?? null }));
      log.info({ signal: await stopRequested }, 'stop requested');
      port?.close();
    } finally {
      await Promise.all([webhooks.stop(), checks?.stop(), digests?.stop()]);
    }
  } finally {
    await database.close();
  }
  return 0;
}
