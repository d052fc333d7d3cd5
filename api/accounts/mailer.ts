import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { BaseLogger } from 'pino';
import { AppError, messageFromError } from '../../runtime/errors.ts';
import { shownAddress } from '../../runtime/shown-address.ts';
import { newUlid } from '../../runtime/ulid.ts';

/** A plain-text email to one person. */
export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Logged without a mail server, so that a trial works. */
  readonly link?: string;
  /** Aborts the sending. */
  readonly signal?: AbortSignal;
}

/** By SMTP, or into a folder. */
export interface Mailer {
  /** Resolves when accepted. Rejects with `unavailable`. */
  send(mail: Mail): Promise<void>;
  close(): void;
}

/** Limits a whole email, in timeouts of one step: a server that sends a character a second is never silent. */
const STEPS_MAX = 6;

export interface MailerOptions {
  /** `smtp://user:password@host:587` or `smtps://…`; undefined: into the folder. */
  readonly smtp: string | undefined;
  readonly from: string;
  readonly folder: string;
  /** Milliseconds for each of: connecting, the greeting, a silence. */
  readonly timeoutMs: number;
  readonly log: Pick<BaseLogger, 'info'>;
}

/** Connects at the first email only. */
export async function openMailer(options: MailerOptions): Promise<Mailer> {
  const { createTransport } = await import('nodemailer'); // Loaded here because few commands send email.
  const { smtp, from, folder, timeoutMs, log } = options;
  if (smtp === undefined) {
    const transport = createTransport({ streamTransport: true, buffer: true, newline: 'unix' });
    return {
      async send({ to, subject, text, link, headers = {} }) {
        const { message } = await transport.sendMail({ from, to, subject, text, headers: { ...headers } });
        const file = join(folder, `${newUlid()}.eml`);
        await writing(async () => {
          await mkdir(folder, { recursive: true, mode: 0o700 });
          // Readers of the folder see complete files only.
          await writeFile(`${file}.part`, message, { mode: 0o600 });
          await rename(`${file}.part`, file);
        });
        log.info(
          { to, subject, file, ...(link === undefined ? {} : { link }) },
          'email written to a file: MODELSTATS_SMTP is not set',
        );
      },
      close: () => transport.close(),
    };
  }
  const timeouts = { connectionTimeout: timeoutMs, greetingTimeout: timeoutMs, socketTimeout: timeoutMs };
  const transport = createTransport({ url: smtp, ...timeouts });
  return {
    async send({ to, subject, text, headers = {}, signal: stop }) {
      const limit = AbortSignal.timeout(STEPS_MAX * timeoutMs);
      const signal = stop === undefined ? limit : AbortSignal.any([stop, limit]);
      await writing(() => transport.sendMail({ from, to, subject, text, headers: { ...headers }, signal }));
      log.info({ to, subject }, 'email sent');
    },
    close: () => transport.close(),
  };
}

async function writing(work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (cause) {
    throw new AppError('unavailable', `an email could not be sent: ${messageFromError(cause)}`, { cause });
  }
}

/** Whether the server refused the address for good (SMTP 5xx to RCPT TO), so that another try is useless. */
export function isRefusedAddress(error: unknown): boolean {
  const cause: unknown = error instanceof Error ? error.cause : undefined;
  if (!(cause instanceof Error && 'code' in cause && 'responseCode' in cause)) return false;
  return cause.code === 'EENVELOPE' && Number(cause.responseCode) >= 500;
}

/** Signs in without sending. Rejects with `unavailable`. */
export async function checkSmtp(smtp: string, { timeoutMs }: { readonly timeoutMs: number }): Promise<void> {
  const { createTransport } = await import('nodemailer'); // Loaded here because few commands send email.
  const timeouts = { connectionTimeout: timeoutMs, greetingTimeout: timeoutMs, socketTimeout: timeoutMs };
  const transport = createTransport({ url: smtp, ...timeouts });
  try {
    await transport.verify();
  } catch (cause) {
    const message = `the mail server ${shownAddress(smtp)} cannot be used: ${messageFromError(cause)}`;
    throw new AppError('unavailable', message, { cause });
  } finally {
    transport.close();
  }
}

/** More would fill memory when the server is slow. */
const UNDER_WAY_MAX = 200;

/**
 * Sends after the response, so that timing doesn't reveal whether an email was sent. Failures are logged; the user can
 * request another.
 */
export class Outbox {
  readonly #mailer: Mailer;
  readonly #log: Pick<BaseLogger, 'warn'>;
  readonly #underWay = new Set<Promise<void>>();

  constructor(mailer: Mailer, log: Pick<BaseLogger, 'warn'>) {
    this.#mailer = mailer;
    this.#log = log;
  }

  /** Call it before anything reveals the email. */
  assertRoom(): void {
    if (this.#underWay.size >= UNDER_WAY_MAX)
      throw new AppError('unavailable', 'too many emails are waiting for the mail server; try again in a minute');
  }

  send(mail: Mail): void {
    const sending = nextTurn() // The response first.
      .then(() => this.#mailer.send(mail))
      .catch((error) => this.#log.warn({ to: mail.to, reason: messageFromError(error) }, 'an email could not be sent'))
      .finally(() => this.#underWay.delete(sending));
    this.#underWay.add(sending);
  }

  /** Resolves when no email is being sent. */
  async idle(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }
}

/** Failures back off: a server may refuse an address forever. */
export const NOTICES_PACE = { everyMs: 3_000, retryMaxMs: 10 * 60_000 };

export interface OwnersNotice {
  /** For the log, where the notice appears too. */
  readonly fields: object;
  readonly message: string;
  /** Undefined if the organization has no address. */
  readonly mail: Mail | undefined;
  /** Records that the notice was sent. */
  readonly settle: () => Promise<unknown>;
}

/**
 * Notifies owners by log and email. Failed notices stay unsettled and are retried: owners may get one twice, but not
 * never. Resolves to the number sent; after trying all it rejects with `unavailable` if any failed.
 * @param signal aborts, also during a send
 */
export async function notifyOwners(
  notices: readonly OwnersNotice[],
  { mailer, log }: { readonly mailer: Mailer; readonly log: Pick<BaseLogger, 'warn'> },
  signal: AbortSignal = new AbortController().signal,
): Promise<number> {
  const problems: string[] = [];
  const stopped = Promise.withResolvers<never>();
  stopped.promise.catch(() => undefined); // Prevents an unhandled rejection.
  signal.addEventListener('abort', () => stopped.reject(signal.reason), { once: true });
  for (const { fields, message, mail, settle } of notices) {
    log.warn(fields, message);
    try {
      if (mail !== undefined) await Promise.race([mailer.send(mail), stopped.promise]);
    } catch (error) {
      if (signal.aborted) break;
      problems.push(messageFromError(error));
      continue;
    }
    await settle();
  }
  if (problems.length > 0)
    throw new AppError(
      'unavailable',
      `${problems.length} of ${notices.length} notices could not be sent: ${problems[0]}`,
    );
  return notices.length;
}
