import type { BaseLogger } from 'pino';
import { AppError, messageFromError } from '../../runtime/errors.ts';
import type { Mail, Mailer } from './mailer.ts';

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
    const sending = nextTurn()
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

/** The answer goes first: not even writing the mail takes of its time. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

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
