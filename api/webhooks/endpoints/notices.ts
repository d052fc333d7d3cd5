import type { Kysely } from 'kysely';
import type { BaseLogger } from 'pino';
import type { Mail, Mailer } from '../../accounts/mailer.ts';
import { type OwnersNotice, tellOwners } from '../../accounts/outbox.ts';
import { type ControlTables, getWord } from '../../database/tables/tables.ts';
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
 * Tells owners what became of their endpoints (specification "Notices"), as `tellOwners` does. What could not be sent is tried again
 * at the next call.
 *
 * @param signal ends it, also in the middle of a mail
 */
export async function sendNotices({ database, mailer, log }: NoticeDeps, signal?: AbortSignal): Promise<number> {
  const rows = await database
    .selectFrom('webhook_endpoints')
    .innerJoin('organizations', 'organizations.id', 'webhook_endpoints.organization_id')
    .selectAll('webhook_endpoints')
    .select('organizations.email')
    .where('notice', 'is not', null)
    .execute();
  const notices = rows.map(({ email, ...row }): OwnersNotice => {
    const notice = getWord(NOTICES, row.notice ?? '');
    const endpoint = endpointFromRow(row);
    const { id, organizationId, url } = endpoint;
    return {
      fields: { endpoint_id: id, organization_id: organizationId, url, notice },
      message: 'a webhook endpoint gets no events',
      mail: email === null ? undefined : mailFor(endpoint, notice, email),
      settle: () =>
        database
          .updateTable('webhook_endpoints')
          .set({ notice: null })
          .where('id', '=', id)
          .where('notice', '=', notice)
          .execute(),
    };
  });
  return tellOwners(notices, { mailer, log }, signal);
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
