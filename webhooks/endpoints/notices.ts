import type { Kysely } from 'kysely';
import type { BaseLogger } from 'pino';
import type { Mail, Mailer } from '../../accounts/mail/mailer.ts';
import { getWord } from '../../database/stored-word.ts';
import type { ControlTables } from '../../database/tables.ts';
import { AppError, messageFromError } from '../../schemas/errors.ts';
import { type Endpoint, endpointFromRow, FAILURES_MAX } from './endpoint.ts';

/** What an endpoint's owner is told. */
export const NOTICES = ['revoked', 'suspended'] as const;
export type Notice = (typeof NOTICES)[number];

export interface NoticeDeps {
  readonly database: Kysely<ControlTables>;
  readonly mailer: Mailer;
  readonly log: Pick<BaseLogger, 'warn'>;
}

/**
 * Tells owners what became of their endpoints: in the log always, by mail where the organization has an address (specification
 * "Notices"). What could not be sent is tried again at the next call, so an owner may be told twice, but not never. Resolves to
 * how many were told. Rejects with `unavailable` where some were not, after all were tried.
 *
 * @param signal ends it, also in the middle of a mail
 */
export async function sendNotices(
  { database, mailer, log }: NoticeDeps,
  signal: AbortSignal = new AbortController().signal,
): Promise<number> {
  const rows = await database
    .selectFrom('webhook_endpoints')
    .innerJoin('organizations', 'organizations.id', 'webhook_endpoints.organization_id')
    .selectAll('webhook_endpoints')
    .select('organizations.email')
    .where('notice', 'is not', null)
    .execute();
  const problems: string[] = [];
  const stopped = Promise.withResolvers<never>();
  stopped.promise.catch(() => undefined); // Where nobody waits.
  signal.addEventListener('abort', () => stopped.reject(signal.reason), { once: true });
  for (const { email, notice: word, ...row } of rows) {
    const notice = getWord(NOTICES, word ?? '');
    const endpoint = endpointFromRow({ ...row, notice: word });
    const { id, organizationId, url } = endpoint;
    log.warn({ endpoint_id: id, organization_id: organizationId, url, notice }, 'a webhook endpoint gets no events');
    try {
      if (email !== null) await Promise.race([mailer.send(mailFor(endpoint, notice, email)), stopped.promise]);
    } catch (error) {
      if (signal.aborted) break;
      problems.push(messageFromError(error));
      continue;
    }
    await database
      .updateTable('webhook_endpoints')
      .set({ notice: null })
      .where('id', '=', id)
      .where('notice', '=', notice)
      .execute();
  }
  if (problems.length > 0) throw new AppError('unavailable', `${problems.length} not told: ${problems[0]}`);
  return rows.length;
}

function mailFor({ id, url, description }: Endpoint, notice: Notice, to: string): Mail {
  const what = description === '' ? url : `${description} (${url})`;
  switch (notice) {
    case 'revoked':
      return {
        to,
        subject: 'Your webhook endpoint was revoked',
        text:
          `${what}\n\n${FAILURES_MAX} deliveries in a row failed, so nothing more is sent to this endpoint (${id}), and what waited\n` +
          'for it was dropped. What happens meanwhile is not sent later: the change feed has it.\n\n' +
          'When the endpoint works again, enable it: it gets a ping, and with a 2xx answer it is active.\n',
      };
    case 'suspended':
      return {
        to,
        subject: 'Your webhook endpoint was suspended',
        text:
          `${what}\n\nYour plan does not include webhooks any more, so nothing more is sent to this endpoint (${id}), and what\n` +
          'waited for it was dropped. After an upgrade it gets a ping, and with a 2xx answer it is active.\n',
      };
  }
}
