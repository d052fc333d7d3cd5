import type { Logger } from 'pino';
import type { CheckEvent } from '../../../api/integrations/check-service.ts';
import { messageFromError } from '../../../runtime/errors.ts';

/** Logs what became of a check of an integration. */
export function logCheckEvent(log: Logger, event: CheckEvent): void {
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
