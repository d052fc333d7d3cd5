import type { BaseLogger } from 'pino';
import { newId } from '../../../runtime/ulid.ts';
import { type AuditAction, recordAudit } from '../../accounts/audit.ts';
import { type Mail, type Mailer, notifyOwners, type OwnersNotice } from '../../accounts/mailer.ts';
import { organizationFromRow, selectOrganizations } from '../../accounts/organizations/organizations.ts';
import type { Terms } from '../../accounts/organizations/terms.ts';
import { type Database, parseEnum } from '../../database/tables/tables.ts';
import { type Endpoint, endpointFromRow, FAILURES_MAX } from './endpoint.ts';
import { dropWaiting, moveEndpoint, queuePing } from './transitions.ts';

export interface SuspensionDeps {
  readonly database: Database;
  readonly clock: () => Date;
  readonly isOffered: IsOffered;
}

/**
 * Suspends endpoints whose plan lost webhooks, and verifies those whose plan regained them (specification "Webhook
 * endpoints"). For every few seconds, in any number of processes.
 */
export async function followPlans(deps: SuspensionDeps) {
  const { database, clock, isOffered } = deps;
  const rows = await database
    .selectFrom('webhook_endpoints')
    .selectAll()
    .where('state', 'in', ['registered', 'active', 'suspended'])
    .execute();
  const endpoints = rows.map(endpointFromRow);
  const organizationIds = [...new Set(endpoints.map(({ organizationId }) => organizationId))];
  const entitled = await entitledOrganizations(database, organizationIds, { now: clock(), isOffered });
  const suspended: string[] = [];
  const resumed: string[] = [];
  for (const endpoint of endpoints) {
    const isEntitled = entitled.has(endpoint.organizationId);
    if (isEntitled && endpoint.state === 'suspended' && (await resume(endpoint, deps))) resumed.push(endpoint.id);
    if (!isEntitled && endpoint.state !== 'suspended' && (await suspend(endpoint, deps))) suspended.push(endpoint.id);
  }
  return { suspended, resumed };
}

/** False if another process was faster. */
async function suspend(endpoint: Endpoint, { database, clock }: SuspensionDeps): Promise<boolean> {
  const now = clock();
  const isMoved = await database.transaction().execute(async (transaction) => {
    const move = { from: ['registered', 'active'], to: 'suspended', now } as const;
    if (!(await moveEndpoint(transaction, endpoint.id, move))) return false;
    await transaction
      .updateTable('webhook_endpoints')
      .set({ notice: 'suspended' })
      .where('id', '=', endpoint.id)
      .execute();
    await noteChange(transaction, endpoint, { action: 'webhook.suspend', now });
    return true;
  });
  await dropWaiting(database, endpoint.id, { now }); // Also those that a killed process left.
  return isMoved;
}

async function resume(endpoint: Endpoint, { database, clock }: SuspensionDeps): Promise<boolean> {
  const now = clock();
  // Not the ping of a faster process.
  await dropWaiting(database, endpoint.id, { now, states: ['suspended'] });
  return database.transaction().execute(async (transaction) => {
    const isMoved = await moveEndpoint(transaction, endpoint.id, { from: ['suspended'], to: 'registered', now });
    if (!isMoved) return false;
    await transaction // The owner need not be notified any more.
      .updateTable('webhook_endpoints')
      .set({ notice: null })
      .where('id', '=', endpoint.id)
      .where('notice', '=', 'suspended')
      .execute();
    await noteChange(transaction, endpoint, { action: 'webhook.resume', now });
    await queuePing(transaction, endpoint, now);
    return true;
  });
}

function noteChange(
  transaction: Database,
  { id, organizationId, url }: Endpoint,
  { action, now }: { readonly action: AuditAction; readonly now: Date },
): Promise<void> {
  const entry = { id: newId('audit'), at: now, actor: 'system', origin: null, organizationId, action } as const;
  return recordAudit(transaction, { ...entry, subjectId: id, details: { url } });
}

/** Whether the service offers an organization webhooks, whatever its plan (specification "Capabilities"). */
export type IsOffered = (organizationId: string) => boolean;

/** Those whose plan has webhooks now. */
export async function entitledOrganizations(
  database: Database,
  organizationIds: readonly string[],
  { now, isOffered }: { readonly now: Date; readonly isOffered: IsOffered },
): Promise<ReadonlySet<string>> {
  if (organizationIds.length === 0) return new Set();
  const rows = await selectOrganizations(database).where('organizations.id', 'in', organizationIds).execute();
  const organizations = rows.map((row) => organizationFromRow(row, now));
  return new Set(organizations.filter(({ id, terms }) => isOffered(id) && hasWebhooks(terms)).map(({ id }) => id));
}

function hasWebhooks({ features }: Terms): boolean {
  return features.includes('webhooks');
}

const NOTICES = ['revoked', 'suspended'] as const;
export type Notice = (typeof NOTICES)[number];

interface NoticeDeps {
  readonly database: Database;
  readonly mailer: Mailer;
  readonly log: Pick<BaseLogger, 'warn'>;
}

/**
 * Mails owners about their endpoints (specification "Notices"); the next call retries failures.
 *
 * @param signal ends it, even during a mail
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
    const notice = parseEnum(NOTICES, row.notice ?? '');
    const endpoint = endpointFromRow(row);
    const { id, organizationId, url } = endpoint;
    return {
      fields: { endpoint_id: id, organization_id: organizationId, url, notice },
      message: 'a webhook endpoint no longer gets events',
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
  return notifyOwners(notices, { mailer, log }, signal);
}

function mailFor({ id, url, description }: Endpoint, notice: Notice, to: string): Mail {
  const what = description === '' ? url : `${description} (${url})`;
  switch (notice) {
    case 'revoked':
      return {
        to,
        subject: 'Your webhook endpoint was revoked',
        text:
          `${what}\n\n${FAILURES_MAX} deliveries in a row failed, so this endpoint (${id}) gets no more events. Waiting deliveries\n` +
          'were dropped. Changes of the meantime are not sent later; read them from the change feed.\n\n' +
          'When the endpoint works again, enable it. It gets a ping, and a 2xx response activates it.\n',
      };
    case 'suspended':
      return {
        to,
        subject: 'Your webhook endpoint was suspended',
        text:
          `${what}\n\nYour plan no longer includes webhooks, so this endpoint (${id}) gets no more events. Waiting\n` +
          'deliveries were dropped. After an upgrade it gets a ping, and a 2xx response activates it.\n',
      };
  }
}
