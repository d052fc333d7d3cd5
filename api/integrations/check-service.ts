import type { BaseLogger } from 'pino';
import { timestampFromDate } from '../../runtime/day.ts';
import { repeat } from '../../runtime/repeat.ts';
import { newId } from '../../runtime/ulid.ts';
import { SYSTEM } from '../accounts/actor.ts';
import { type AuditDeps, AuditedChanges } from '../accounts/audit.ts';
import { type Mail, type Mailer, NOTICES_PACE, notifyOwners, type OwnersNotice } from '../accounts/mailer.ts';
import { orUnavailable } from '../database/database-errors.ts';
import type { HourlyCleanup } from '../database/hourly-cleanup.ts';
import { type Database, parseEnum } from '../database/tables/tables.ts';
import { type Claim, claimDue, findDueSites, type OfferedTo } from './claims.ts';
import {
  type Evidence,
  findEarning,
  type Integration,
  type IntegrationState,
  integrationFromRow,
} from './integration.ts';
import type { CheckPage } from './integrations.ts';
import { NOTICES, putOff, recordCheck } from './record-check.ts';
import { renewSites } from './sites.ts';

/** Per process; each check may have a parser thread and some MiB of a page. */
export const CHECKS_AT_ONCE_MAX = 4;
/** New pages are checked within seconds. */
const CHECKING = { everyMs: 2_000, retryMaxMs: 30_000, trouble: 'integrations could not be checked' };
const NOTIFYING = { ...NOTICES_PACE, trouble: 'owners could not be notified about their integrations' };
/** Delay after a check that failed because of us. */
const PUT_OFF_MS = 10 * 60_000;

export type CheckEvent =
  | {
      readonly type: 'checked';
      readonly claim: Claim;
      readonly evidence: Evidence;
      readonly before: IntegrationState;
      readonly after: IntegrationState;
    }
  /** Another process has finished it, or the integration was removed. */
  | { readonly type: 'lost'; readonly claim: Claim }
  /** Failed because of us. */
  | { readonly type: 'put_off'; readonly claim: Claim; readonly error: unknown };

export interface CheckServiceDeps extends AuditDeps {
  /** @param signal aborts the check, which then rejects */
  readonly checkPage: (page: Parameters<CheckPage>[0], signal: AbortSignal) => Promise<Evidence>;
  readonly offeredTo: OfferedTo;
  readonly cleanup: Pick<HourlyCleanup, 'at' | 'close'>;
  readonly mailer: Mailer;
  /** Resolves after the time, or when aborted. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly onEvent: (event: CheckEvent) => void;
  readonly log: Pick<BaseLogger, 'info' | 'warn' | 'error'>;
}

/**
 * Runs due checks, notifies owners and deletes old checks. Several processes may share a PostgreSQL database
 * (specification "Checks of pages").
 */
export class CheckService {
  readonly #deps: CheckServiceDeps;
  readonly #changes: AuditedChanges;
  readonly #stop = new AbortController();
  readonly #abort = new AbortController();
  readonly #inFlight = new Set<Promise<void>>();
  #loops: Promise<unknown> = Promise.resolve();
  #hasRenewedSites = false;

  constructor(deps: CheckServiceDeps) {
    this.#deps = deps;
    this.#changes = new AuditedChanges(deps, SYSTEM);
  }

  get inFlight(): number {
    return this.#inFlight.size;
  }

  /** Runs until {@link stop}. */
  start(): void {
    const deps = { ...this.#deps, signal: this.#stop.signal };
    this.#loops = Promise.all([
      repeat(() => this.#begin(), CHECKING, deps),
      // Separate, since mail servers can be slow.
      repeat(async () => void (await sendNotices(deps, deps.signal)), NOTIFYING, deps),
    ]);
  }

  /** Checks still running after the timeout are aborted and due again at once. */
  async stop(timeoutMs: number): Promise<void> {
    this.#stop.abort();
    const timer = setTimeout(() => this.#abort.abort(), timeoutMs);
    await Promise.all([this.#loops, this.#deps.cleanup.close()]);
    await Promise.all(this.#inFlight);
    clearTimeout(timer);
  }

  /** Doesn't wait for the checks it starts. */
  async #begin(): Promise<void> {
    const { database, clock, cleanup, offeredTo } = this.#deps;
    cleanup.at(clock());
    await this.#renewSites();
    const freeSlots = CHECKS_AT_ONCE_MAX - this.#inFlight.size;
    if (freeSlots <= 0) return;
    const sites = await orUnavailable(() => findDueSites(database, { now: clock(), offeredTo, limit: freeSlots }));
    for (const domain of sites) {
      if (this.#stop.signal.aborted) return;
      const claimId = newId('claim');
      const claim = await orUnavailable(() => claimDue(database, domain, { claimId, now: clock(), offeredTo }));
      if (claim === undefined) continue;
      const check = this.#check(claim).finally(() => this.#inFlight.delete(check));
      this.#inFlight.add(check);
    }
  }

  /** Once per process, when the database allows it. */
  async #renewSites(): Promise<void> {
    if (this.#hasRenewedSites) return;
    const { database, clock } = this.#deps;
    await orUnavailable(() => renewSites(database, clock()));
    this.#hasRenewedSites = true;
  }

  /** Never rejects: an unrecorded check is due again after its claim. */
  async #check(claim: Claim): Promise<void> {
    const { checkPage, onEvent, database, clock } = this.#deps;
    const { url, domain, organization_id: organizationId } = claim.integration;
    try {
      const evidence = await checkPage({ url, domain, organizationId }, this.#abort.signal);
      const settled = await recordCheck(this.#changes, claim, evidence);
      if (settled === undefined) return onEvent({ type: 'lost', claim });
      const { before, after } = settled;
      onEvent({ type: 'checked', claim, evidence, before, after });
    } catch (error) {
      const isOver = this.#abort.signal.aborted;
      const dueAt = new Date(clock().getTime() + (isOver ? 0 : PUT_OFF_MS));
      if (!isOver) onEvent({ type: 'put_off', claim, error });
      await putOff(database, claim, dueAt).catch(() => undefined); // The claim expires by itself.
    }
  }
}

interface NoticeDeps {
  readonly database: Database;
  readonly mailer: Mailer;
  readonly clock: () => Date;
  readonly log: Pick<BaseLogger, 'warn'>;
}

/**
 * Specification "States of an integration". Failures are retried by the next call, unless outdated by then.
 * @param signal aborts, also during a send
 */
async function sendNotices({ database, mailer, clock, log }: NoticeDeps, signal?: AbortSignal): Promise<number> {
  const rows = await database
    .selectFrom('integrations')
    .innerJoin('organizations', 'organizations.id', 'integrations.organization_id')
    .selectAll('integrations')
    .select('organizations.email')
    .where('notice', 'is not', null)
    .orderBy('integrations.id')
    .execute();
  const notices = rows.map(async ({ email, ...row }): Promise<OwnersNotice> => {
    const [notice, now] = [parseEnum(NOTICES, row.notice ?? ''), clock()];
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
  return notifyOwners(await Promise.all(notices), { mailer, log }, signal);
}

function mailFor(
  { id, name, url, problem, lapsesAt, bonusUntil }: Integration,
  notice: (typeof NOTICES)[number],
  to: string,
): Mail {
  const page = `${name} (${url})\n\n`;
  const why = `Last check: ${problem ?? 'no problem'}.\n\n`;
  const again = `Once the link is back, request a check of ${id} or wait for the daily one; the integration then counts again at once.\n`;
  switch (notice) {
    case 'at_risk': {
      const until = lapsesAt === null ? 'within seven days' : `before ${timestampFromDate(lapsesAt)}`;
      return {
        to,
        subject: `The link to the source is missing: ${name}`,
        text: `${page}Checks have not found the link to the source on this page for three days. ${why}Unless it is found ${until}, the integration\nlapses${bonusUntil === null ? '' : ', and its bonus ends'}.\n\n${again}`,
      };
    }
    case 'lapsed': {
      const end =
        bonusUntil instanceof Date
          ? `its bonus ends at ${timestampFromDate(bonusUntil)}`
          : 'it no longer counts for a bonus';
      return {
        to,
        subject: `An integration lapsed: ${name}`,
        text: `${page}The link to the source was not found on this page for ten days, so ${end}. ${why}${again}`,
      };
    }
  }
}
