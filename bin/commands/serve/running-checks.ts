import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { ControlDatabase } from '../../../api/database/control-database.ts';
import { CheckMetrics } from '../../../api/integrations/check-metrics.ts';
import { type CheckEvent, CheckService } from '../../../api/integrations/check-service.ts';
import { checkCleanup, countDue } from '../../../api/integrations/claims.ts';
import { pageChecker } from '../../../api/integrations/page/page-check.ts';
import { messageFromError } from '../../../runtime/errors.ts';
import { pause } from '../../../runtime/retry.ts';
import type { CommandContext } from '../../cli/command.ts';
import { offeredTo, openCheckOutbound, servicePublicUrl } from '../../config/configured-integrations.ts';
import { openConfiguredMailer } from '../../config/configured-people.ts';

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
    ...(onChange && { onChange }),
    checkPage: (page, signal) => pageChecker({ outbound, publicUrl, toolVersion, signal })(page),
    offeredTo: offered,
    cleanup: checkCleanup(database.kysely, log),
    mailer,
    sleep: pause,
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
      await service.stop(Math.min(config.process.stopTimeoutMs, STOP_TIMEOUT_MS));
      mailer.close();
      await outbound.close();
    },
  };
}

/** Logs what became of a check of an integration. */
function logCheckEvent(log: Logger, event: CheckEvent): void {
  const { id, organization_id, url } = event.claim.integration;
  const fields = { integration_id: id, organization_id, url };
  switch (event.type) {
    case 'checked': {
      const { before, after, evidence } = event;
      const { reason, status, durationMs } = evidence;
      const told = { ...fields, reason, status, state: after, duration_ms: Math.round(durationMs) };
      if (before === after) log.debug(told, 'an integration was checked');
      else log.info({ ...told, was: before }, 'an integration changed its state');
      return;
    }
    case 'lost':
      log.info(fields, 'a check of an integration was not written: it was removed, or somebody else has done it');
      return;
    case 'put_off':
      log.error({ ...fields, reason: messageFromError(event.error) }, 'a check waits for a reason of ours');
      return;
  }
}
