import { AppError } from '../../runtime/errors.ts';
import { newId } from '../../runtime/ulid.ts';
import type { Actor } from '../accounts/actor.ts';
import { type AuditDeps, AuditedChanges } from '../accounts/audit.ts';
import { lockOrganization } from '../accounts/organizations/organizations.ts';
import type { IntegrationRow, Transaction } from '../database/tables/tables.ts';
import { type Claim, claimSite, type OfferedTo } from './claims.ts';
import {
  assertMayRequestCheck,
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
import { afterRemoval, declared } from './lifecycle.ts';
import { putOff, recordCheck } from './record-check.ts';
import { addSite, columnsOf, holdSite, lifecycleFrom, lockSite } from './sites.ts';

/** Failures of the network, page or server are results; rejects only for our own failures. */
export type CheckPage = (page: {
  readonly url: string;
  readonly domain: string;
  /** The organization that declared it. */
  readonly organizationId: string;
}) => Promise<Evidence>;

export interface IntegrationsDeps extends AuditDeps {
  /** Undefined: pages can't be declared or checked. */
  readonly publicUrl: string | undefined;
  readonly offeredTo: OfferedTo;
  readonly findUrlProblem: FindUrlProblem;
  readonly checkPage: CheckPage;
}

export interface IntegrationSelector {
  readonly organizationId: string;
  readonly id: string;
}

/** Checks newest first. */
export interface CheckedIntegration {
  readonly integration: Integration;
  readonly checks: readonly Check[];
}

/** The default; at most 200 are stored. */
const CHECKS_SHOWN = 20;

/**
 * For the command line and the console (specification "Integrations"); changes are audited. Rejects with `not_found`
 * also for integrations of other organizations, with `usage` and a message for people, and with `unavailable`. The
 * caller must check that the actor may act for the organization.
 */
export class Integrations {
  readonly #deps: IntegrationsDeps;
  readonly #changes: AuditedChanges;

  constructor(deps: IntegrationsDeps, actor: Actor) {
    this.#deps = deps;
    this.#changes = new AuditedChanges(deps, actor);
  }

  /** It is `pending` and checked within seconds. `usage` lists all problems, one per line. */
  async declare(input: NewIntegration): Promise<Integration> {
    const publicUrl = this.#publicUrl();
    const { organizationId, name, url, domain } = parseDeclaration(input, { ...this.#deps, publicUrl });
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

  /** Oldest first, without removed ones. */
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

  /** Removed ones included; checks newest first. */
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
   * Takes at most 20 seconds. `usage` if requested less than a minute ago or too often today, or while the site is
   * being checked.
   */
  async check({ organizationId, id }: IntegrationSelector): Promise<CheckedIntegration> {
    this.#publicUrl();
    const claim = await this.#claim({ organizationId, id });
    const { url, domain } = claim.integration;
    try {
      await recordCheck(this.#changes, claim, await this.#deps.checkPage({ url, domain, organizationId }));
    } catch (error) {
      await this.#changes.read((database) => putOff(database, claim, this.#changes.now()));
      throw error;
    }
    return this.find({ organizationId, id });
  }

  /** For good: checks stop, and the bonus ends with the UTC day. The history remains. */
  async remove({ organizationId, id }: IntegrationSelector): Promise<Integration> {
    const now = this.#changes.now();
    return this.#changes.change(async (transaction, note) => {
      await lockOrganization(transaction, organizationId);
      const { domain } = await readOwn(transaction, { organizationId, id });
      await lockSite(transaction, domain);
      // Read again: a check may have been recorded before the lock.
      const row = await readOwn(transaction, { organizationId, id });
      const after = { ...row, ...columnsOf(afterRemoval(lifecycleFrom(row), now)), due_at: null, notice: null };
      await transaction.updateTable('integrations').set(after).where('id', '=', id).execute();
      await holdSite(transaction, after);
      const details = { name: row.name, url: row.url, was: row.state };
      await note({ organizationId, action: 'integration.remove', subjectId: id, details });
      return integrationFromRow(after, { now, earning: await findEarning(transaction, organizationId, now) });
    });
  }

  #claim({ organizationId, id }: IntegrationSelector): Promise<Claim> {
    const [now, claimId] = [this.#changes.now(), newId('claim')];
    return this.#changes.change(async (transaction) => {
      await lockOrganization(transaction, organizationId);
      const row = await readOwn(transaction, { organizationId, id });
      this.#assertOffered(organizationId);
      await assertMayRequestCheck(transaction, row, now);
      if (!(await claimSite(transaction, row.domain, { claimId, now })))
        throw new AppError('usage', `a page of ${row.domain} is being checked; try again in a minute`);
      const requestColumns = {
        asked_at: now.getTime(),
        asked_checks: isSameDay(row.asked_at, now) ? row.asked_checks + 1 : 1,
      };
      await transaction.updateTable('integrations').set(requestColumns).where('id', '=', id).execute();
      return { id: claimId, integration: { ...row, ...requestColumns }, isRequested: true };
    });
  }

  #publicUrl(): string {
    const { publicUrl } = this.#deps;
    if (publicUrl !== undefined) return publicUrl;
    throw new AppError(
      'configuration',
      'MODELSTATS_PUBLIC_URL is not set; it is required to recognize links to the service',
    );
  }

  #assertOffered(organizationId: string): void {
    const { offeredTo } = this.#deps;
    if (offeredTo === 'everybody' || offeredTo.includes(organizationId)) return;
    throw new AppError('usage', `integrations are not available to ${organizationId}`);
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
  return new AppError('not_found', `there is no integration ${id} in ${organizationId}`);
}
