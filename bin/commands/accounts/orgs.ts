import type { Organization, SubscriptionChange } from '../../../api/accounts/organizations/organizations.ts';
import { HISTORY_MONTHS_FULL, PLAN_NAMES, type PlanName } from '../../../api/accounts/organizations/plans.ts';
import {
  type Contract,
  SUBSCRIPTION_STATUSES,
  type Subscription,
  SubscriptionSchema,
  type SubscriptionStatus,
} from '../../../api/accounts/organizations/terms.ts';
import { timestampFromDate } from '../../../runtime/day.ts';
import { AppError } from '../../../runtime/errors.ts';
import {
  type CommandContext,
  choiceOf,
  commandGroup,
  defineCommand,
  fieldJson,
  flag,
  option,
  optionOr,
  required,
  type ValuesOf,
} from '../../cli/command.ts';
import {
  choiceValue,
  dayStartValue,
  emailValue,
  featuresValue,
  historyMonthsValue,
  nameValue,
  numberValue,
  quotaValue,
  textValue,
  yesNoValue,
} from '../../cli/option-values.ts';
import { withChanges } from '../../config/configured-accounts.ts';
import { showAudit } from './audit.ts';
import { memberList } from './members.ts';
import { showUsage } from './usage.ts';

/** Terms of a contract, and the state of the subscription. */
const TERMS = {
  status: choiceOf(
    SUBSCRIPTION_STATUSES,
    option('<status>', 'state of the subscription', choiceValue(SUBSCRIPTION_STATUSES)),
  ),
  periodEnd: option('<YYYY-MM-DD>', 'start of the day on which the period ends (default: monthly)', dayStartValue),
  graceUntil: option('<YYYY-MM-DD>', 'start of the day on which a grace period or late payment ends', dayStartValue),
  dailyQuota: option('<n|unlimited>', 'data responses per UTC day', quotaValue),
  burst: option('<n>', 'requests per minute', numberValue(1, 1_000_000)),
  historyMonths: option('<n|full>', 'how far history reaches back', historyMonthsValue),
  features: option('<list>', 'history,snapshots,incremental,webhooks; or none', featuresValue),
  snapshots: option('<n>', 'newest snapshots that are visible', numberValue(0, 100_000)),
  monthEnds: option('<yes|no>', 'whether the last snapshot of each month is visible too', yesNoValue),
  attributionRequired: option('<yes|no>', 'whether public display needs attribution', yesNoValue),
  redistributionAllowed: option('<yes|no>', 'whether the data may be passed on', yesNoValue),
};
type Terms = Partial<ValuesOf<typeof TERMS>>;

const createOrganization = defineCommand({
  name: 'create',
  description: 'Add an organization',
  options: {
    name: required('<name>', 'its name', nameValue),
    email: option('<address>', 'address for its notices, such as a revoked webhook', emailValue),
    plan: choiceOf(PLAN_NAMES, optionOr('community', '<plan>', 'the plan', choiceValue(PLAN_NAMES))),
    ...TERMS,
  },
  examples: ['modelstats orgs create --name Acme --plan builder'],
  async run(context, { name, email = null, ...terms }) {
    const subscription = subscriptionFrom(terms);
    const organizations = await import('../../../api/accounts/organizations/organizations.ts');
    const created = await withChanges(context, (changes) =>
      organizations.createOrganization({ name, subscription, email }, changes),
    );
    const next = `issue a key for it with: modelstats keys create --org ${created.id}`;
    context.printResult(jsonFrom(created), () => `${tableOf(context, [created])}\n${next}`);
    return 0;
  },
});

const listOrganizations = defineCommand({
  name: 'list',
  description: 'List the organizations with what their plans grant',
  examples: ['modelstats orgs list'],
  async run(context) {
    const organizations = await import('../../../api/accounts/organizations/organizations.ts');
    const found = await withChanges(context, (changes) => organizations.listOrganizations(changes));
    const none = 'no organizations yet; add one with: modelstats orgs create --name NAME';
    const describe = () => (found.length === 0 ? none : tableOf(context, found));
    context.printResult({ organizations: found.map(jsonFrom) }, describe);
    return 0;
  },
});

const setEmail = defineCommand({
  name: 'set-email',
  description: 'Change the address for notices of an organization',
  options: {
    org: required('<id>', 'the organization', textValue),
    email: required('<address>', 'an address, or none', emailValue),
  },
  examples: ['modelstats orgs set-email --org ID --email owner@example.com'],
  async run(context, { org, email }) {
    const organizations = await import('../../../api/accounts/organizations/organizations.ts');
    const changed = await withChanges(context, (changes) => organizations.setEmail(org, email, changes));
    context.printResult(jsonFrom(changed), email === null ? `${org} gets no mail` : `${org} gets mail at ${email}`);
    return 0;
  },
});

/** Takes effect with the organization's next request. */
const setPlan = defineCommand({
  name: 'set-plan',
  description: "Change an organization's plan or contract; terms that are not named stay",
  options: {
    org: required('<id>', 'the organization', textValue),
    plan: choiceOf(PLAN_NAMES, option('<plan>', 'the plan (default: unchanged)', choiceValue(PLAN_NAMES))),
    ...TERMS,
    reset: flag("drop all terms that are not named, so that the plan's own apply"),
  },
  examples: [
    'modelstats orgs set-plan --org ID --plan builder',
    'modelstats orgs set-plan --org ID --plan commercial --daily-quota 50000 --history-months 36 --period-end 2027-07-01',
  ],
  async run(context, { org, ...named }) {
    const organizations = await import('../../../api/accounts/organizations/organizations.ts');
    const { before, after } = await withChanges(context, (changes) =>
      organizations.changePlan(org, (subscription) => changedSubscription(subscription, named), changes),
    );
    const changed = organizations.subscriptionChanges(before.subscription, after.subscription);
    context.printResult({ ...jsonFrom(after), changed: changed.map(jsonFromChange) }, () =>
      [tableOf(context, [after]), ...changed.map(lineOfChange), ...unchangedLine(changed, after)].join('\n'),
    );
    return 0;
  },
});

export const orgs = commandGroup('orgs', 'Manage organizations and their plans', [
  createOrganization,
  listOrganizations,
  setEmail,
  setPlan,
  memberList({ name: 'members', example: 'modelstats orgs members ID' }),
  showAudit,
  showUsage,
]);

type NamedTerms = Terms & { readonly plan?: PlanName | undefined; readonly reset?: boolean | undefined };

/** With `reset` like a new one; else unnamed terms stay. */
function changedSubscription(before: Subscription, options: NamedTerms): Subscription {
  const { plan = before.plan } = options;
  if (options.reset) return subscriptionFrom({ ...options, plan });
  const status = options.status ?? before.status;
  const graceUntil = options.graceUntil ?? (needsGrace(status) ? before.graceUntil : null);
  const periodEnd = options.periodEnd ?? before.periodEnd;
  const { contract, ...named } = subscriptionFrom({
    ...options,
    plan,
    status,
    graceUntil: graceUntil ?? undefined,
    periodEnd: periodEnd ?? undefined,
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

function unchangedLine(changes: readonly SubscriptionChange[], { subscription }: Organization): readonly string[] {
  const unchanged = Object.entries(subscription.contract).filter(
    ([name]) => !changes.some(({ field }) => field === name),
  );
  if (unchanged.length === 0) return changes.length === 0 ? ['nothing changed'] : [];
  const terms = unchanged.map(([name, value]) => `${name} ${shown(name, value)}`).join(', ');
  return [`unchanged in the contract: ${terms} (--reset drops terms that are not named)`];
}

function shown(field: string, value: unknown): string {
  if (value === undefined) return "the plan's own";
  if (value === null) return field === 'daily_quota' ? 'unlimited' : 'none';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function subscriptionFrom(options: Terms & { readonly plan: PlanName }): Subscription {
  const { plan, status = 'active', periodEnd = null, graceUntil = null } = options;
  if (status === 'grace' && graceUntil === null)
    throw new AppError('usage', '--status grace needs its end: --grace-until YYYY-MM-DD');
  return SubscriptionSchema.parse({ plan, status, periodEnd, graceUntil, contract: contractFrom(options) });
}

/** Only named terms: the others follow the plan, also when it changes. */
function contractFrom(options: Terms): Contract {
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
  const { newest, monthEnds } = terms.snapshots;
  return {
    id,
    name,
    email,
    created_at: timestampFromDate(createdAt),
    ...fieldJson(terms, ['plan', 'planVersion', 'status', 'dailyQuota', 'quotaLimit', 'burstPerMinute']),
    ...fieldJson(terms, ['historyMonths', 'features']),
    snapshots: { newest, month_ends: monthEnds },
    ...fieldJson(terms, ['attributionRequired', 'redistributionAllowed', 'periodEnd', 'graceUntil']),
    contract: subscription.contract,
  };
}

function tableOf({ tableText }: CommandContext, organizations: readonly Organization[]): string {
  const head = ['ID', 'name', 'plan', 'status', 'a day', 'a minute', 'months', 'features', 'period end'];
  const rows = organizations.map(({ id, name, terms }) => {
    const months = terms.historyMonths === HISTORY_MONTHS_FULL ? 'full' : terms.historyMonths;
    const limits = [terms.quotaLimit ?? 'unlimited', terms.burstPerMinute, months, terms.features.join(' ')];
    return [id, name, terms.plan, terms.status, ...limits, terms.periodEnd];
  });
  return tableText(head, rows);
}
