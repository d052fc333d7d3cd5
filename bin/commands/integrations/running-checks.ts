import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { monotonicFactory } from 'ulid';
import type { ControlDatabase } from '../../../api/database/control-database.ts';
import { CheckMetrics } from '../../../api/integrations/check-metrics.ts';
import { type CheckEvent, CheckService } from '../../../api/integrations/check-service.ts';
import { pageLooker } from '../../../api/integrations/page/look.ts';
import { countDue } from '../../../api/integrations/queue/claims.ts';
import { checkCleanup } from '../../../api/integrations/queue/cleanup.ts';
import type { CommandContext } from '../../cli/command-context.ts';
import { openConfiguredMailer } from '../../config/accounts/configured-people.ts';
import { offeredTo, openCheckOutbound, servicePublicUrl } from '../../config/service/configured-integrations.ts';
import { logCheckEvent } from './log-checks.ts';

export interface RunningChecksDeps {
  readonly database: ControlDatabase;
  readonly log: Logger;
  /** Where their metrics are registered. */
  readonly registry: Registry;
  /** Called when something was written, such as a bonus. */
  readonly onChange?: () => void;
}

export interface RunningChecks {
  /** Finishes what is under way, or gives it up in time. */
  readonly stop: () => Promise<void>;
}

/** Longest time for checks under way, where the process has more; what is given up is done again by the next one. */
const STOP_TIMEOUT_MS = 12_000;

/**
 * Begins to check integrations, until they are stopped. Undefined, with a line in the log, where they are offered to nobody, and where
 * nobody knows which links lead to the service.
 */
export async function startChecks(
  { config, clock, toolVersion }: CommandContext,
  { database, log, registry, onChange }: RunningChecksDeps,
): Promise<RunningChecks | undefined> {
  const publicUrl = servicePublicUrl(config);
  const offered = offeredTo(config);
  if (offered.length === 0) return undefined;
  if (publicUrl === undefined) {
    log.warn('integrations are not checked: MODELSTATS_PUBLIC_URL is not set');
    return undefined;
  }
  const outbound = openCheckOutbound(config, toolVersion);
  const mailer = await openConfiguredMailer(config, log);
  const metrics = new CheckMetrics(registry, {
    inFlight: () => service.inFlight,
    due: () => countDue(database.kysely, { now: clock(), offeredTo: offered }),
  });
  const service = new CheckService({
    database: database.kysely,
    clock,
    newId: monotonicFactory(),
    ...(onChange && { onChange }),
    look: (page, signal) => pageLooker({ outbound, publicUrl, toolVersion, signal })(page),
    offeredTo: offered,
    cleanup: checkCleanup(database.kysely, log),
    mailer,
    sleep: async (ms, signal) => void (await wait(ms, undefined, { signal }).catch(() => undefined)),
    onEvent: (event: CheckEvent) => {
      metrics.onEvent(event);
      logCheckEvent(log, event);
    },
    log,
  });
  service.start();
  log.info({ public_url: publicUrl }, 'checking integrations');
  return {
    async stop() {
      await service.stop(Math.min(config.STOP_TIMEOUT_SECONDS * 1000, STOP_TIMEOUT_MS));
      mailer.close();
      await outbound.close();
    },
  };
}
