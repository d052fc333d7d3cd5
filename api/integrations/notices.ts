import type { Kysely } from 'kysely';
import type { BaseLogger } from 'pino';
import { timestampFromDate } from '../../runtime/day.ts';
import type { Mail, Mailer } from '../accounts/mailer.ts';
import { type OwnersNotice, tellOwners } from '../accounts/outbox.ts';
import { type ControlTables, getWord } from '../database/tables/tables.ts';
import { findEarning, type Integration, integrationFromRow } from './integration.ts';
import { NOTICES } from './queue/settle.ts';

export interface NoticeDeps {
  readonly database: Kysely<ControlTables>;
  readonly mailer: Mailer;
  readonly clock: () => Date;
  readonly log: Pick<BaseLogger, 'warn'>;
}

/**
 * Tells owners what became of their integrations (specification "States of an integration"), as `tellOwners` does. What could not be
 * sent is tried again at the next call; what is over by then is not told.
 *
 * @param signal ends it, also in the middle of a mail
 */
export async function sendNotices({ database, mailer, clock, log }: NoticeDeps, signal?: AbortSignal): Promise<number> {
  const rows = await database
    .selectFrom('integrations')
    .innerJoin('organizations', 'organizations.id', 'integrations.organization_id')
    .selectAll('integrations')
    .select('organizations.email')
    .where('notice', 'is not', null)
    .orderBy('integrations.id')
    .execute();
  const told = rows.map(async ({ email, ...row }): Promise<OwnersNotice> => {
    const [notice, now] = [getWord(NOTICES, row.notice ?? ''), clock()];
    const earning = await findEarning(database, row.organization_id, now);
    const integration = integrationFromRow(row, { now, earning });
    const { id, organizationId, url } = integration;
    return {
      fields: { integration_id: id, organization_id: organizationId, url, notice },
      message: notice === 'lapsed' ? 'an integration has lapsed' : 'an integration is at risk',
      mail: email === null ? undefined : mailFor(integration, notice, email),
      settle: () =>
        database
          .updateTable('integrations')
          .set({ notice: null })
          .where('id', '=', id)
          .where('notice', '=', notice)
          .execute(),
    };
  });
  return tellOwners(await Promise.all(told), { mailer, log }, signal);
}

function mailFor(
  { id, name, url, problem, lapsesAt, bonusUntil }: Integration,
  notice: (typeof NOTICES)[number],
  to: string,
): Mail {
  const page = `${name} (${url})\n\n`;
  const why = `What the last check says: ${problem ?? 'nothing'}.\n\n`;
  const again = `When the link is back, ask for a check of ${id}, or wait for the daily one: it counts again at once.\n`;
  switch (notice) {
    case 'at_risk': {
      const until = lapsesAt === null ? 'within seven days' : `before ${timestampFromDate(lapsesAt)}`;
      return {
        to,
        subject: `The link to the source is missing: ${name}`,
        text: `${page}For three days no check has found the link to the source on this page. ${why}Unless it is found ${until}, the integration\nlapses${bonusUntil === null ? '' : ', and its bonus ends'}.\n\n${again}`,
      };
    }
    case 'lapsed': {
      const end =
        bonusUntil instanceof Date ? `its bonus ends at ${timestampFromDate(bonusUntil)}` : 'it counts for no bonus';
      return {
        to,
        subject: `An integration lapsed: ${name}`,
        text: `${page}The link to the source was not found on this page for ten days, so ${end}. ${why}${again}`,
      };
    }
  }
}
