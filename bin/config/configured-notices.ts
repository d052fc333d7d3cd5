import { resolve } from 'node:path';
import type { BaseLogger } from 'pino';
import { Notices, type NoticesDeps } from '../../pipeline/notices/notices.ts';
import { pause } from '../../runtime/retry.ts';
import { shownAddress } from '../../runtime/shown-address.ts';
import type { Config } from './config.ts';
import { openConfiguredMailer } from './configured-people.ts';

export interface ConfiguredNoticesOptions extends Pick<NoticesDeps, 'onSent'> {
  readonly log: Pick<BaseLogger, 'info' | 'warn' | 'error'>;
}

/** Opens notices to the configured targets; undefined without any. Connects only to send. */
export function openConfiguredNotices(
  { config, clock, toolVersion }: { readonly config: Config; readonly clock: () => Date; readonly toolVersion: string },
  { log, onSent }: ConfiguredNoticesOptions,
): Notices | undefined {
  if (config.notices.targets.length === 0) return undefined;
  return new Notices({
    targets: config.notices.targets,
    store: shownAddress(config.places.store),
    workFolder: resolve(config.places.work),
    clock,
    log,
    ...(onSent === undefined ? {} : { onSent }),
    environment: process.env,
    userAgent: `modelstats/${toolVersion}`,
    sleep: pause,
    async sendMail(mail) {
      const mailer = await openConfiguredMailer(config, log);
      try {
        await mailer.send(mail);
      } finally {
        mailer.close();
      }
    },
  });
}

/** Time of the UTC day from which an unpublished day is late. Default: when its night is given up. */
export function lateAfter({ notices, retry }: Config): string {
  return notices.lateAfter ?? retry.until;
}

/** The log of a short command: problems as lines for the operator. */
export function noticeLog(line: (text: string) => void): ConfiguredNoticesOptions['log'] {
  const print = (fields: unknown, message?: unknown) => {
    const target = fields !== null && typeof fields === 'object' && 'target' in fields ? `${fields.target}: ` : '';
    line(`${target}${String(message)}`);
  };
  return { info: () => {}, warn: print, error: print };
}
