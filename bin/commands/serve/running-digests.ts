import { resolve } from 'node:path';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { ControlDatabase } from '../../../api/database/control-database.ts';
import { DigestMetrics } from '../../../api/digests/digest-metrics.ts';
import { countDueDigests } from '../../../api/digests/digest-queue.ts';
import { type DigestEvent, DigestService } from '../../../api/digests/digest-service.ts';
import { messageFromError } from '../../../runtime/errors.ts';
import { pause } from '../../../runtime/retry.ts';
import type { ObjectStore } from '../../../storage/object-store.ts';
import type { CommandContext } from '../../cli/command.ts';
import { servicePublicUrl } from '../../config/configured-accounts.ts';
import { areDigestsOffered, openStopLinks } from '../../config/configured-digests.ts';
import { openConfiguredMailer } from '../../config/configured-people.ts';

export interface RunningDigestsDeps {
  readonly database: ControlDatabase;
  readonly store: ObjectStore;
  readonly log: Logger;
  readonly registry: Registry;
}

export interface RunningDigests {
  /** Finishes mails under way, or aborts them in time. */
  readonly stop: () => Promise<void>;
}

/** Limit for mails under way at a stop. */
const STOP_TIMEOUT_MS = 12_000;

/** Starts sending digests. Undefined, and logged, without a mail server or a public URL; undefined if they are off. */
export async function startDigests(
  { config, clock }: Pick<CommandContext, 'config' | 'clock'>,
  { database, store, log, registry }: RunningDigestsDeps,
): Promise<RunningDigests | undefined> {
  if (!areDigestsOffered(config)) return undefined;
  const publicUrl = servicePublicUrl(config);
  if (config.mail.smtp === undefined || publicUrl === undefined) {
    const missing = config.mail.smtp === undefined ? 'MODELSTATS_SMTP' : 'MODELSTATS_PUBLIC_URL';
    log.info(`digests are not sent: ${missing} is not set`);
    return undefined;
  }
  const mailer = await openConfiguredMailer(config, log);
  const metrics = new DigestMetrics(registry, { due: () => countDueDigests(database.kysely, clock()) });
  const service = new DigestService({
    control: database,
    store,
    duckdb: config.duckdb,
    workFolder: resolve(config.places.work),
    clock,
    mailer,
    stopLinks: await openStopLinks(database, clock()),
    publicUrl,
    hour: config.digests.hour,
    sleep: pause,
    onEvent: (event) => {
      metrics.onEvent(event);
      logDigestEvent(log, event);
    },
    log,
  });
  service.start();
  log.info({ hour: config.digests.hour }, 'sending digests');
  return {
    async stop() {
      await service.stop(Math.min(config.process.stopTimeoutMs, STOP_TIMEOUT_MS));
      mailer.close();
    },
  };
}

function logDigestEvent(log: Logger, { result, digest, error, isGivenUp }: DigestEvent): void {
  const fields = { person_id: digest.personId, frequency: digest.frequency };
  switch (result) {
    case 'sent':
      log.info(fields, 'a digest was sent');
      return;
    case 'nothing':
    case 'nobody':
      log.debug({ ...fields, result }, 'a digest was not needed');
      return;
    case 'lost':
      log.warn(fields, 'a digest was sent, but its claim had ended: it may be sent twice');
      return;
    case 'failed':
      log.warn(
        { ...fields, reason: messageFromError(error) },
        isGivenUp === true
          ? 'a digest could not be sent; the next one includes it'
          : 'a digest could not be sent and is tried again',
      );
      return;
  }
}
