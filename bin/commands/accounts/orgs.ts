import Table from 'cli-table3';
import type { Organization } from '../../accounts/administration/organization.ts';
import { timestampFromDate } from '../../schemas/day.ts';
import { AppError } from '../../schemas/errors.ts';
import { type Feature, HISTORY_MONTHS_FULL, type PlanName } from '../../schemas/plans.ts';
import { type Contract, type Subscription, SubscriptionSchema, type SubscriptionStatus } from '../../schemas/terms.ts';
import { withAdministration } from '../configured-accounts.ts';
import type { CommandContext } from './command-context.ts';

/** What a contract says, in the words of the command line. */
interface TermsOptions {
  readonly status?: SubscriptionStatus;
  readonly periodEnd?: Date;
  readonly graceUntil?: Date;
  readonly dailyQuota?: number | null;
  readonly burst?: number;
  readonly historyMonths?: number;
  readonly features?: Feature[];
  readonly snapshots?: number;
  readonly monthEnds?: boolean;
  readonly attributionRequired?: boolean;
  readonly redistributionAllowed?: boolean;
}

export interface CreateOrganizationOptions extends TermsOptions {
  readonly name: string;
  readonly plan: PlanName;
  readonly json?: boolean;
}

export interface SetPlanOptions extends TermsOptions {
  readonly org: string;
  readonly plan: PlanName;
  readonly json?: boolean;
}

export interface ListOrganizationsOptions {
  readonly json?: boolean;
}

/** `modelstats orgs create`: adds an organization. */
export async function createOrganization(context: CommandContext, options: CreateOrganizationOptions): Promise<number> {
  const subscription = subscriptionFrom(options);
  const created = await withAdministration(context, (administration) =>
    administration.createOrganization(options.name, subscription),
  );
  const next = `issue a key for it with: modelstats keys create --org ${created.id}`;
  context.print(options.json ? JSON.stringify(jsonFrom(created)) : `${tableOf([created])}\n${next}`);
  return 0;
}

/** `modelstats orgs set-plan`: replaces plan and contract; in force from the organization's next request on. */
export async function setPlan(context: CommandContext, options: SetPlanOptions): Promise<number> {
  const subscription = subscriptionFrom(options);
  const changed = await withAdministration(context, (administration) =>
    administration.setPlan(options.org, subscription),
  );
  context.print(options.json ? JSON.stringify(jsonFrom(changed)) : tableOf([changed]));
  return 0;
}

/** `modelstats orgs list`. */
export async function listOrganizations(
  context: CommandContext,
  { json = false }: ListOrganizationsOptions,
): Promise<number> {
  const organizations = await withAdministration(context, (administration) => administration.listOrganizations());
  if (json) context.print(JSON.stringify({ organizations: organizations.map(jsonFrom) }));
  else if (organizations.length === 0)
    context.print('no organizations yet; add one with: modelstats orgs create --name NAME');
  else context.print(tableOf(organizations));
  return 0;
}

function subscriptionFrom(options: TermsOptions & { readonly plan: PlanName }): Subscription {
  const { plan, status = 'active', periodEnd = null, graceUntil = null } = options;
  if (status === 'grace' && graceUntil === null)
    throw new AppError('usage', '--status grace needs the date on which it is over: --grace-until YYYY-MM-DD');
  return SubscriptionSchema.parse({ plan, status, periodEnd, graceUntil, contract: contractFrom(options) });
}

/** Only what was named: the rest stays the plan's, also when the plan changes some day. */
function contractFrom(options: TermsOptions): Contract {
  const contract: Contract = {
    daily_quota: options.dailyQuota,
    burst_per_minute: options.burst,
    history_months: options.historyMonths,
    features: options.features,
    snapshots_newest: options.snapshots,
    snapshots_month_ends: options.monthEnds,
    attribution_required: options.attributionRequired,
    redistribution_allowed: options.redistributionAllowed,
  };
  return Object.fromEntries(Object.entries(contract).filter(([, value]) => value !== undefined));
}

function jsonFrom({ id, name, createdAt, subscription, terms }: Organization) {
  return {
    id,
    name,
    created_at: timestampFromDate(createdAt),
    plan: terms.plan,
    plan_version: terms.planVersion,
    status: terms.status,
    daily_quota: terms.dailyQuota,
    quota_limit: terms.quotaLimit,
    burst_per_minute: terms.burstPerMinute,
    history_months: terms.historyMonths,
    features: terms.features,
    snapshots: { newest: terms.snapshots.newest, month_ends: terms.snapshots.monthEnds },
    attribution_required: terms.attributionRequired,
    redistribution_allowed: terms.redistributionAllowed,
    period_end: timestampFromDate(terms.periodEnd),
    grace_until: terms.graceUntil === null ? null : timestampFromDate(terms.graceUntil),
    contract: subscription.contract,
  };
}

function tableOf(organizations: readonly Organization[]): string {
  const table = new Table({
    head: ['ID', 'name', 'plan', 'status', 'a day', 'a minute', 'months', 'features', 'period end'],
    style: { head: [], border: [] },
  });
  for (const { id, name, terms } of organizations) {
    const months = terms.historyMonths === HISTORY_MONTHS_FULL ? 'full' : terms.historyMonths;
    const limits = [terms.quotaLimit ?? 'unlimited', terms.burstPerMinute, months, terms.features.join(' ')];
    table.push([id, name, terms.plan, terms.status, ...limits, timestampFromDate(terms.periodEnd)]);
  }
  return table.toString();
}
