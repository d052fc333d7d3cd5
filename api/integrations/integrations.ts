import { AppError } from '../../runtime/errors.ts';
import { newId } from '../../runtime/ulid.ts';
import type { Actor } from '../accounts/actor.ts';
import { type AuditDeps, AuditedChanges } from '../accounts/audit.ts';
import { lockOrganization } from '../accounts/organizations/organizations.ts';
import type { IntegrationRow, Transaction } from '../database/tables/tables.ts';
import { type Claim, claimSite, type OfferedTo } from './claims.ts';
import {
  assertMayAsk,
  assertRoom,
  type FindUrlProblem,
  isSameDay,
  type NewIntegration,
  parseDeclaration,
} from './declaration.ts';
import {
  type Check,
  checkFromRow,
  type Evidence,
  findEarning,
  type Integration,
  integrationFromRow,
  NONE_EARNING,
} from './integration.ts';
import { afterRemoval, declared } from './life.ts';
import { putOff, recordCheck } from './record-check.ts';
import { addSite, columnsOf, holdSite, lockSite, standingFrom } from './sites.ts';

/** Looks at a page. Whatever the network, the page or its server does becomes a value; rejects for what is our own fault. */
export type LookAtPage = (page: {
  readonly url: string;
  readonly domain: string;
  /** Who has declared it. */
  readonly organizationId: string;
}) => Promise<Evidence>;

export interface IntegrationsDeps extends AuditDeps {
  /** Where people find the service, with its base path; undefined where that isn't known: then nothing is declared or checked. */
  readonly publicUrl: string | undefined;
  readonly offeredTo: OfferedTo;
  readonly findUrlProblem: FindUrlProblem;
  readonly look: LookAtPage;
}

/** Names one integration of an organization. */
export interface IntegrationSelector {
  readonly organizationId: string;
  readonly id: string;
}

/** An integration with its newest checks, newest first. */
export interface CheckedIntegration {
  readonly integration: Integration;
  readonly checks: readonly Check[];
}

/** Checks that are shown with an integration unless told otherwise; at most 200 are kept. */
const CHECKS_SHOWN = 20;

/**
 * What organizations and operators do with integrations, on the command line and in the console alike (specification "Integrations"). Each
 * change leaves a line in the audit log, in the same transaction. Rejects with `not_found` for what isn't there or is another
 * organization's, with `usage` for what can't be, in words for whoever asked, and with `unavailable`. That whoever asks may act for
 * the organization is for the caller to know.
 */
export class Integrations {
  readonly #deps: IntegrationsDeps;
  readonly #changes: AuditedChanges;

  constructor(deps: IntegrationsDeps, actor: Actor) {
    this.#deps = deps;
    this.#changes = new AuditedChanges(deps, actor);
  }

  /**
   * Declares a page; it is `pending`, and the job looks at it within seconds. `usage` tells all that is wrong with it, a problem a line,
   * or that there are as many as there may be.
   */
  async declare(wanted: NewIntegration): Promise<Integration> {
    const publicUrl = this.#publicUrl();
    const { organizationId, name, url, domain } = parseDeclaration(wanted, { ...this.#deps, publicUrl });
    this.#assertOffered(organizationId);
    const [now, id] = [this.#changes.now(), newId('int')];
    return this.#changes.change(async (transaction, note) => {
      await lockOrganization(transaction, organizationId);
      await assertRoom(transaction, { organizationId, url, now });
      await addSite(transaction, domain);
      const row: IntegrationRow = {
        id,
        organization_id: organizationId,
        name,
        url,
        domain,
        ...columnsOf(declared(now)),
        checked_at: null,
        reason: null,
        problem: null,
        due_at: now.getTime(),
        notice: null,
        asked_at: null,
        asked_checks: 0,
        created_at: now.getTime(),
      };
      await transaction.insertInto('integrations').values(row).execute();
      await note({ organizationId, action: 'integration.declare', subjectId: id, details: { name, url } });
      return integrationFromRow(row, { now, earning: NONE_EARNING });
    });
  }

  /** The integrations of an organization, oldest first, without removed ones. */
  list(organizationId: string): Promise<readonly Integration[]> {
    const now = this.#changes.now();
    return this.#changes.read(async (database) => {
      const earning = await findEarning(database, organizationId, now);
      const rows = await database
        .selectFrom('integrations')
        .selectAll()
        .where('organization_id', '=', organizationId)
        .where('state', '<>', 'removed')
        .orderBy('id')
        .execute();
      return rows.map((row) => integrationFromRow(row, { now, earning }));
    });
  }

  /** An integration, also a removed one, with its newest checks, newest first. */
  find({ organizationId, id }: IntegrationSelector, checksMax = CHECKS_SHOWN): Promise<CheckedIntegration> {
    const now = this.#changes.now();
    return this.#changes.read(async (database) => {
      const row = await database
        .selectFrom('integrations')
        .selectAll()
        .where('id', '=', id)
        .where('organization_id', '=', organizationId)
        .executeTakeFirst();
      if (row === undefined) throw noIntegration({ organizationId, id });
      const checks = await database
        .selectFrom('integration_checks')
        .selectAll()
        .where('integration_id', '=', id)
        .orderBy('id', 'desc')
        .limit(checksMax)
        .execute();
      const earning = await findEarning(database, organizationId, now);
      return { integration: integrationFromRow(row, { now, earning }), checks: checks.map(checkFromRow) };
    });
  }

  /**
   * Looks at the page now, in this process, which takes 20 seconds at most; resolves to the integration as it is then, the new check
   * first. `usage` where it was asked for less than a minute ago or too often today, and where a check of its site is under way.
   */
  async check({ organizationId, id }: IntegrationSelector): Promise<CheckedIntegration> {
    this.#publicUrl();
    const claim = await this.#claim({ organizationId, id });
    const { url, domain } = claim.integration;
    try {
      await recordCheck(this.#changes, claim, await this.#deps.look({ url, domain, organizationId }));
    } catch (error) {
      await this.#changes.read((database) => putOff(database, claim, this.#changes.now()));
      throw error;
    }
    return this.find({ organizationId, id });
  }

  /** Ends an integration for good: it is not checked any more, and its bonus ends with the UTC day. Its history stays. */
  async remove({ organizationId, id }: IntegrationSelector): Promise<Integration> {
    const now = this.#changes.now();
    return this.#changes.change(async (transaction, note) => {
      await lockOrganization(transaction, organizationId);
      const { domain } = await readOwn(transaction, { organizationId, id });
      await lockSite(transaction, domain);
      // Read again: a check may have been written before the site was locked.
      const row = await readOwn(transaction, { organizationId, id });
      const after = { ...row, ...columnsOf(afterRemoval(standingFrom(row), now)), due_at: null, notice: null };
      await transaction.updateTable('integrations').set(after).where('id', '=', id).execute();
      await holdSite(transaction, after);
      const details = { name: row.name, url: row.url, was: row.state };
      await note({ organizationId, action: 'integration.remove', subjectId: id, details });
      return integrationFromRow(after, { now, earning: await findEarning(transaction, organizationId, now) });
    });
  }

  /** Claims a check that somebody asks for, within what an organization may ask for. */
  #claim({ organizationId, id }: IntegrationSelector): Promise<Claim> {
    const [now, claimId] = [this.#changes.now(), newId('claim')];
    return this.#changes.change(async (transaction) => {
      await lockOrganization(transaction, organizationId);
      const row = await readOwn(transaction, { organizationId, id });
      this.#assertOffered(organizationId);
      await assertMayAsk(transaction, row, now);
      if (!(await claimSite(transaction, row.domain, { claimId, now })))
        throw new AppError('usage', `a page of ${row.domain} is being checked at this moment; ask again in a minute`);
      const asked = {
        asked_at: now.getTime(),
        asked_checks: isSameDay(row.asked_at, now) ? row.asked_checks + 1 : 1,
      };
      await transaction.updateTable('integrations').set(asked).where('id', '=', id).execute();
      return { id: claimId, integration: { ...row, ...asked }, isAsked: true };
    });
  }

  #publicUrl(): string {
    const { publicUrl } = this.#deps;
    if (publicUrl !== undefined) return publicUrl;
    throw new AppError(
      'configuration',
      'MODELSTATS_PUBLIC_URL is not set: nobody knows which links lead to the service',
    );
  }

  #assertOffered(organizationId: string): void {
    const { offeredTo } = this.#deps;
    if (offeredTo === 'everybody' || offeredTo.includes(organizationId)) return;
    throw new AppError('usage', `integrations are not offered to ${organizationId}`);
  }
}

async function readOwn(transaction: Transaction, { organizationId, id }: IntegrationSelector): Promise<IntegrationRow> {
  const row = await transaction
    .selectFrom('integrations')
    .selectAll()
    .where('id', '=', id)
    .where('organization_id', '=', organizationId)
    .where('state', '<>', 'removed')
    .executeTakeFirst();
  if (row === undefined) throw noIntegration({ organizationId, id });
  return row;
}

function noIntegration({ organizationId, id }: IntegrationSelector): AppError {
  return new AppError('not_found', `${id} is no integration of ${organizationId}`);
}
