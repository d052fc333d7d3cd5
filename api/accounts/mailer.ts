import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { BaseLogger } from 'pino';
import { AppError, messageFromError } from '../../runtime/errors.ts';
import { shownAddress } from '../../runtime/shown-address.ts';
import { newUlid } from '../../runtime/ulid.ts';

/** A message to one person, as plain text. */
export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  /** What its reader is to open: told in the log where there is no server, so that a trial works without one. */
  readonly link?: string;
  /** Ends the sending, wherever it is. */
  readonly signal?: AbortSignal;
}

/** Sends mail: by SMTP where that is configured, else into a folder, so that nothing is lost where nobody has set it up. */
export interface Mailer {
  /** Resolves when the mail was taken. Rejects with `unavailable`. */
  send(mail: Mail): Promise<void>;
  close(): void;
}

/**
 * How many times the time of one step a mail may take as a whole: a server that answers a letter a second is never silent. Smaller: one
 * that is slow at every step loses mail.
 */
const STEPS_MAX = 6;

export interface MailerOptions {
  /** `smtp://user:password@host:587` or `smtps://…`; undefined: into the folder. */
  readonly smtp: string | undefined;
  /** Sender. */
  readonly from: string;
  readonly folder: string;
  /** For each of: connecting, the greeting, and a silence, in milliseconds. */
  readonly timeoutMs: number;
  readonly log: Pick<BaseLogger, 'info'>;
}

/** Opens what mail goes through; nothing is connected before the first mail. */
export async function openMailer(options: MailerOptions): Promise<Mailer> {
  const { createTransport } = await import('nodemailer'); // Few commands send mail.
  const { smtp, from, folder, timeoutMs, log } = options;
  if (smtp === undefined) {
    const transport = createTransport({ streamTransport: true, buffer: true, newline: 'unix' });
    return {
      async send({ to, subject, text, link }) {
        const { message } = await transport.sendMail({ from, to, subject, text });
        const file = join(folder, `${newUlid()}.eml`);
        await writing(async () => {
          await mkdir(folder, { recursive: true, mode: 0o700 });
          // Whoever reads the folder finds whole mails only.
          await writeFile(`${file}.part`, message, { mode: 0o600 });
          await rename(`${file}.part`, file);
        });
        log.info(
          { to, subject, file, ...(link === undefined ? {} : { link }) },
          'a mail was written: MODELSTATS_SMTP is not set',
        );
      },
      close: () => transport.close(),
    };
  }
  const timeouts = { connectionTimeout: timeoutMs, greetingTimeout: timeoutMs, socketTimeout: timeoutMs };
  const transport = createTransport({ url: smtp, ...timeouts });
  return {
    async send({ to, subject, text, signal: stop }) {
      const limit = AbortSignal.timeout(STEPS_MAX * timeoutMs);
      const signal = stop === undefined ? limit : AbortSignal.any([stop, limit]);
      await writing(() => transport.sendMail({ from, to, subject, text, signal }));
      log.info({ to, subject }, 'a mail was sent');
    },
    close: () => transport.close(),
  };
}

async function writing(work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (cause) {
    throw new AppError('unavailable', `a mail could not be sent: ${messageFromError(cause)}`, { cause });
  }
}

/** Connects to a mail server and signs in, and sends nothing. Rejects with `unavailable`. */
export async function askSmtp(smtp: string, { timeoutMs }: { readonly timeoutMs: number }): Promise<void> {
  const { createTransport } = await import('nodemailer'); // Few commands send mail.
  const timeouts = { connectionTimeout: timeoutMs, greetingTimeout: timeoutMs, socketTimeout: timeoutMs };
  const transport = createTransport({ url: smtp, ...timeouts });
  try {
    await transport.verify();
  } catch (cause) {
    const message = `the mail server ${shownAddress(smtp)} does not take mail: ${messageFromError(cause)}`;
    throw new AppError('unavailable', message, { cause });
  } finally {
    transport.close();
  }
}

/** Mails under way at once: more wait in memory for a server that doesn't take them. */
const UNDER_WAY_MAX = 200;

/**
 * Sends mail behind an answer, so that the time of the answer doesn't tell whether there was one. What can't be sent is told in the
 * log, without its text: whoever waits for it asks again.
 */
export class Outbox {
  readonly #mailer: Mailer;
  readonly #log: Pick<BaseLogger, 'warn'>;
  readonly #underWay = new Set<Promise<void>>();

  constructor(mailer: Mailer, log: Pick<BaseLogger, 'warn'>) {
    this.#mailer = mailer;
    this.#log = log;
  }

  /** Throws `unavailable` where too many are under way; ask before anything tells of the mail. */
  assertRoom(): void {
    if (this.#underWay.size >= UNDER_WAY_MAX)
      throw new AppError('unavailable', 'too many mails are waiting for the mail server; try again in a minute');
  }

  send(mail: Mail): void {
    const sending = nextTurn() // The answer goes first: not even writing the mail takes of its time.
      .then(() => this.#mailer.send(mail))
      .catch((error) => this.#log.warn({ to: mail.to, reason: messageFromError(error) }, 'a mail could not be sent'))
      .finally(() => this.#underWay.delete(sending));
    this.#underWay.add(sending);
  }

  /** Resolves when no mail is under way any more. */
  async idle(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }
}

/** Between two looks for owners who are to be told. A mail server that refuses is asked less often: for some addresses it always will. */
export const NOTICES_PACE = { everyMs: 3_000, retryMaxMs: 10 * 60_000 };

/** What the owners of something are to be told. */
export interface OwnersNotice {
  /** For the log, which tells it too. */
  readonly fields: object;
  readonly message: string;
  /** Undefined where the organization has no address. */
  readonly mail: Mail | undefined;
  /** Notes that it was told. */
  readonly settle: () => Promise<unknown>;
}

/**
 * Tells owners one thing after the other, in the log always, and by mail. What could not be sent isn't settled, so that it can be
 * tried again: an owner may be told twice, but not never. Resolves to how many were told. Rejects with `unavailable` where some were
 * not, after all were tried.
 *
 * @param signal ends it, also in the middle of a mail
 */
export async function tellOwners(
  notices: readonly OwnersNotice[],
  { mailer, log }: { readonly mailer: Mailer; readonly log: Pick<BaseLogger, 'warn'> },
  signal: AbortSignal = new AbortController().signal,
): Promise<number> {
  const problems: string[] = [];
  const stopped = Promise.withResolvers<never>();
  stopped.promise.catch(() => undefined); // Where nobody waits.
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
  if (problems.length > 0) throw new AppError('unavailable', `${problems.length} not told: ${problems[0]}`);
  return notices.length;
}
