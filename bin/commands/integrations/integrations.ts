import Table from 'cli-table3';
import type { Check, Integration } from '../../../api/integrations/integration.ts';
import { timestampFromDate } from '../../../runtime/day.ts';
import type { CommandContext } from '../../cli/command-context.ts';
import { paint } from '../../cli/paint.ts';
import { withIntegrations } from '../../config/service/configured-integrations.ts';

export interface ListIntegrationsOptions {
  readonly org: string;
  readonly json?: boolean;
}

export interface AddIntegrationOptions extends ListIntegrationsOptions {
  readonly name: string;
  readonly url: string;
}

export interface IntegrationOptions extends ListIntegrationsOptions {
  readonly id: string;
}

/** `modelstats integrations add ORG NAME URL`: declares a page; whoever runs the checks looks at it within seconds. */
export async function addIntegration(context: CommandContext, options: AddIntegrationOptions): Promise<number> {
  const { org: organizationId, name, url, json } = options;
  const added = await withIntegrations(context, (integrations) => integrations.declare({ organizationId, name, url }));
  const next = `looked at within seconds where checks run; or now: modelstats integrations check ${organizationId} ${added.id}`;
  context.print(json ? JSON.stringify(jsonFrom(added)) : `${tableOf([added])}\n${next}`);
  return 0;
}

/** `modelstats integrations list ORG`: the pages of an organization. */
export async function listIntegrations(
  context: CommandContext,
  { org, json }: ListIntegrationsOptions,
): Promise<number> {
  const found = await withIntegrations(context, (integrations) => integrations.list(org));
  if (json) context.print(JSON.stringify({ integrations: found.map(jsonFrom) }));
  else context.print(found.length === 0 ? 'no integrations yet' : tableOf(found));
  return 0;
}

/** `modelstats integrations check ORG ID`: looks at a page now and shows what it found; exit code 1 where that is not enough. */
export async function checkIntegration(
  context: CommandContext,
  { org: organizationId, id, json }: IntegrationOptions,
): Promise<number> {
  const checked = await withIntegrations(context, (integrations) => integrations.check({ organizationId, id }));
  const { integration, checks } = checked;
  const [newest] = checks;
  if (json) context.print(JSON.stringify({ ...jsonFrom(integration), check: newest ? checkJson(newest) : null }));
  else context.print([tableOf([integration]), ...(newest ? evidenceLines(newest) : [])].join('\n'));
  return integration.state === 'verified' && newest?.reason === 'FOUND' ? 0 : 1;
}

/** `modelstats integrations remove ORG ID`: ends an integration for good. */
export async function removeIntegration(
  context: CommandContext,
  { org: organizationId, id, json }: IntegrationOptions,
): Promise<number> {
  const removed = await withIntegrations(context, (integrations) => integrations.remove({ organizationId, id }));
  const { bonusUntil } = removed;
  const end = bonusUntil instanceof Date ? `; its bonus ends at ${timestampFromDate(bonusUntil)}` : '';
  context.print(json ? JSON.stringify(jsonFrom(removed)) : `removed ${removed.name}, ${removed.url}${end}`);
  return 0;
}

/** An integration as the command line answers it. */
function jsonFrom(integration: Integration): Record<string, unknown> {
  const { bonusUntil, checkedAt, nextCheckAt, lapsesAt } = integration;
  return {
    id: integration.id,
    organization_id: integration.organizationId,
    name: integration.name,
    url: integration.url,
    site: integration.domain,
    state: integration.state,
    state_changed_at: timestampFromDate(integration.stateChangedAt),
    checked_at: checkedAt && timestampFromDate(checkedAt),
    reason: integration.reason,
    problem: integration.problem,
    failures: integration.failures,
    next_check_at: nextCheckAt && timestampFromDate(nextCheckAt),
    lapses_at: lapsesAt && timestampFromDate(lapsesAt),
    has_bonus: bonusUntil !== null,
    bonus_until: bonusUntil instanceof Date ? timestampFromDate(bonusUntil) : null,
    created_at: timestampFromDate(integration.createdAt),
  };
}

function checkJson(check: Check): Record<string, unknown> {
  return {
    id: check.id,
    checked_at: timestampFromDate(check.checkedAt),
    reason: check.reason,
    message: check.message,
    status: check.status,
    final_url: check.finalUrl,
    found: check.found,
    duration_ms: check.durationMs,
  };
}

function tableOf(integrations: readonly Integration[]): string {
  const head = ['id', 'name', 'url', 'state', 'checked', 'bonus'];
  const table = new Table({ head, style: { head: [], border: [] } });
  for (const each of integrations) {
    const checked = each.checkedAt === null ? 'not yet' : timestampFromDate(each.checkedAt);
    table.push([each.id, each.name, each.url, each.state, checked, bonusWord(each)]);
  }
  return table.toString();
}

function bonusWord({ bonusUntil }: Integration): string {
  if (bonusUntil === null) return 'no';
  return bonusUntil === 'lost' ? 'yes' : `until ${timestampFromDate(bonusUntil)}`;
}

function evidenceLines({ reason, message, status, finalUrl }: Check): readonly string[] {
  const word = reason === 'FOUND' ? paint.green('found') : paint.yellow(reason);
  return [`${word}: ${message}`, ...(finalUrl === null ? [] : [`at ${finalUrl} (${status})`])];
}
