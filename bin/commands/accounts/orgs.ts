import Table from 'cli-table3';
import * as allOrganizations from '../../../api/accounts/organizations/organizations.ts';
import {
  type Organization,
  type SubscriptionChange,
  subscriptionChanges,
} from '../../../api/accounts/organizations/organizations.ts';
import { type Feature, HISTORY_MONTHS_FULL, type PlanName } from '../../../api/accounts/plans/plans.ts';
import {
  type Contract,
  type Subscription,
  SubscriptionSchema,
  type SubscriptionStatus,
} from '../../../api/accounts/plans/terms.ts';
import { timestampFromDate } from '../../../runtime/day.ts';
import { AppError } from '../../../runtime/errors.ts';
import type { CommandContext } from '../../cli/command-context.ts';
import { withChanges } from '../../config/accounts/configured-accounts.ts';

/** What a contract changes of a plan, as options of the command line. */
interface TermsOptions {
  readonly status?: SubscriptionStatus;
  readonly periodEnd?: Date;
  readonly graceUntil?: Date;
  readonly dailyQuota?: number | 'unlimited';
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
  readonly email?: string | null;
  readonly plan: PlanName;
  readonly json?: boolean;
}

export interface SetPlanOptions extends TermsOptions {
  readonly org: string;
  readonly plan?: PlanName;
  readonly reset?: boolean;
  readonly json?: boolean;
}

export interface ListOrganizationsOptions {
  readonly json?: boolean;
}

/** `modelstats orgs create`: adds an organization. */
export async function createOrganization(context: CommandContext, options: CreateOrganizationOptions): Promise<number> {
  const subscription = subscriptionFrom(options);
  const created = await withChanges(context, (changes) =>
    allOrganizations.createOrganization({ name: options.name, subscription, email: options.email ?? null }, changes),
  );
  const next = `issue a key for it with: modelstats keys create --org ${created.id}`;
  context.print(options.json ? JSON.stringify(jsonFrom(created)) : `${tableOf([created])}\n${next}`);
  return 0;
}

export interface SetEmailOptions {
  readonly org: string;
  /** Null: nowhere. */
  readonly email: string | null;
  readonly json?: boolean;
}

/** `modelstats orgs set-email`: changes where an organization is told what concerns it. */
export async function setEmail(context: CommandContext, { org, email, json }: SetEmailOptions): Promise<number> {
  const changed = await withChanges(context, (changes) => allOrganizations.setEmail(org, email, changes));
  if (json) context.print(JSON.stringify(jsonFrom(changed)));
  else context.print(email === null ? `${org} is told nothing by mail` : `${org} is told at ${email}`);
  return 0;
}

/** `modelstats orgs set-plan`: changes what is named; in force from the organization's next request on. */
export async function setPlan(context: CommandContext, options: SetPlanOptions): Promise<number> {
  const { before, after } = await withChanges(context, (changes) =>
    allOrganizations.changePlan(options.org, (subscription) => changedSubscription(subscription, options), changes),
  );
  const changed = subscriptionChanges(before.subscription, after.subscription);
  if (options.json) context.print(JSON.stringify({ ...jsonFrom(after), changed: changed.map(jsonFromChange) }));
  else context.print([tableOf([after]), ...changed.map(lineOfChange), ...keptLine(changed, after)].join('\n'));
  return 0;
}

/** With `reset` as if it were new; else what is not named stays. */
function changedSubscription(before: Subscription, options: SetPlanOptions): Subscription {
  const { plan = before.plan } = options;
  if (options.reset) return subscriptionFrom({ ...options, plan });
  const status = options.status ?? before.status;
  const graceUntil = options.graceUntil ?? (needsGrace(status) ? before.graceUntil : null) ?? undefined;
  const periodEnd = options.periodEnd ?? before.periodEnd ?? undefined;
  const { contract, ...named } = subscriptionFrom({
    ...options,
    plan,
    status,
    ...(graceUntil === undefined ? {} : { graceUntil }),
    ...(periodEnd === undefined ? {} : { periodEnd }),
  });
  return SubscriptionSchema.parse({ ...named, contract: { ...before.contract, ...contract } });
}

function needsGrace(status: SubscriptionStatus): boolean {
  return status === 'grace' || status === 'past_due';
}

function jsonFromChange({ field, from, to }: SubscriptionChange) {
  return { field, from: from ?? null, to: to ?? null };
}

function lineOfChange({ field, from, to }: SubscriptionChange): string {
  return `changed ${field}: ${shown(field, from)} → ${shown(field, to)}`;
}

/** The terms of the contract that were not named and stay. */
function keptLine(changes: readonly SubscriptionChange[], { subscription }: Organization): readonly string[] {
  const kept = Object.entries(subscription.contract).filter(([name]) => !changes.some(({ field }) => field === name));
  if (kept.length === 0) return changes.length === 0 ? ['nothing changed'] : [];
  const terms = kept.map(([name, value]) => `${name} ${shown(name, value)}`).join(', ');
  return [`in the contract as before: ${terms} (--reset drops what is not named)`];
}

function shown(field: string, value: unknown): string {
  if (value === undefined) return "the plan's own";
  if (value === null) return field === 'daily_quota' ? 'unlimited' : 'none';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** `modelstats orgs list`. */
export async function listOrganizations(
  context: CommandContext,
  { json = false }: ListOrganizationsOptions,
): Promise<number> {
  const organizations = await withChanges(context, (changes) => allOrganizations.listOrganizations(changes));
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

/** Only what was named: the rest follows the plan, also when the plan's own values change. */
function contractFrom(options: TermsOptions): Contract {
  const contract: Contract = {
    daily_quota: options.dailyQuota === 'unlimited' ? null : options.dailyQuota,
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

function jsonFrom({ id, name, email, createdAt, subscription, terms }: Organization) {
  return {
    id,
    name,
    email,
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
