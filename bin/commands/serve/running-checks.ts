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
import { servicePublicUrl } from '../../config/configured-accounts.ts';
import { offeredTo, openCheckOutbound } from '../../config/configured-integrations.ts';
import { openConfiguredMailer } from '../../config/configured-people.ts';

export interface RunningChecksDeps {
  readonly database: ControlDatabase;
  readonly log: Logger;
  readonly registry: Registry;
  /** Called after a change, such as a bonus. */
  readonly onChange?: () => void;
}

export interface RunningChecks {
  /** Finishes running checks, or gives them up in time. */
  readonly stop: () => Promise<void>;
}

/** Limit for running checks at a stop; the next process repeats what is given up. */
const STOP_TIMEOUT_MS = 12_000;

/** Starts checks of integrations. Undefined, and logged, if they are off or the service's public URL is unknown. */
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

function logCheckEvent(log: Logger, event: CheckEvent): void {
  const { id, organization_id, url } = event.claim.integration;
  const fields = { integration_id: id, organization_id, url };
  switch (event.type) {
    case 'checked': {
      const { before, after, evidence } = event;
      const { reason, status, durationMs } = evidence;
      const details = { ...fields, reason, status, state: after, duration_ms: Math.round(durationMs) };
      if (before === after) log.debug(details, 'an integration was checked');
      else log.info({ ...details, was: before }, 'an integration changed its state');
      return;
    }
    case 'lost':
      log.info(
        fields,
        'the result of a check was not stored: the integration was removed, or another process has checked it',
      );
      return;
    case 'put_off':
      log.error(
        { ...fields, reason: messageFromError(event.error) },
        'a check was postponed because of an internal error',
      );
      return;
  }
}
