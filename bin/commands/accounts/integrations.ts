import type { Check, Integration } from '../../../api/integrations/integration.ts';
import type { Integrations } from '../../../api/integrations/integrations.ts';
import { timestampFromDate } from '../../../runtime/day.ts';
import { argument, type CommandContext, commandGroup, defineCommand, fieldJson } from '../../cli/command.ts';

const org = argument('id of the organization, org_…');
const integration = argument('id of the integration, int_…');

const addIntegration = defineCommand({
  name: 'add',
  description: 'Declare a page; a running `dispatch` checks it within seconds',
  arguments: { org, name: argument('name of the page'), url: argument('its public URL') },
  examples: ["modelstats integrations add ID 'Model prices' https://example.com/prices"],
  async run(context, { org: organizationId, name, url }) {
    const added = await withIntegrations(context, (opened) => opened.declare({ organizationId, name, url }));
    const next = `a running dispatcher checks it within seconds; to check it now: modelstats integrations check ${organizationId} ${added.id}`;
    context.printResult(jsonFrom(added), () => `${tableOf(context, [added])}\n${next}`);
    return 0;
  },
});

const listIntegrations = defineCommand({
  name: 'list',
  description: 'List the pages of an organization, with their states',
  arguments: { org },
  examples: ['modelstats integrations list ID'],
  async run(context, { org: organizationId }) {
    const found = await withIntegrations(context, (opened) => opened.list(organizationId));
    const describe = () => (found.length === 0 ? 'no integrations yet' : tableOf(context, found));
    context.printResult({ integrations: found.map(jsonFrom) }, describe);
    return 0;
  },
});

const checkIntegration = defineCommand({
  name: 'check',
  description: 'Check a page now, and show the result',
  arguments: { org, integration },
  examples: ['modelstats integrations check ID INTEGRATION'],
  notes: 'Exit code 1 if the integration is not verified',
  async run(context, { org: organizationId, integration: id }) {
    const checked = await withIntegrations(context, (opened) => opened.check({ organizationId, id }));
    const [newest] = checked.checks;
    context.printResult(
      { ...jsonFrom(checked.integration), check: newest ? fieldJson(newest, CHECK_FIELDS) : null },
      () => [tableOf(context, [checked.integration]), ...(newest ? evidenceLines(context, newest) : [])].join('\n'),
    );
    return checked.integration.state === 'verified' && newest?.reason === 'FOUND' ? 0 : 1;
  },
});

const removeIntegration = defineCommand({
  name: 'remove',
  description: 'Remove a page permanently; its bonus ends with the UTC day',
  arguments: { org, integration },
  examples: ['modelstats integrations remove ID INTEGRATION'],
  async run(context, { org: organizationId, integration: id }) {
    const removed = await withIntegrations(context, (opened) => opened.remove({ organizationId, id }));
    const { bonusUntil } = removed;
    const end = bonusUntil instanceof Date ? `; its bonus ends at ${timestampFromDate(bonusUntil)}` : '';
    context.printResult(jsonFrom(removed), `removed ${removed.name}, ${removed.url}${end}`);
    return 0;
  },
});

export const integrations = commandGroup(
  'integrations',
  'Manage the pages on which organizations credit their data source',
  [addIntegration, listIntegrations, checkIntegration, removeIntegration],
);

async function withIntegrations<T>(context: CommandContext, work: (opened: Integrations) => Promise<T>): Promise<T> {
  const configured = await import('../../config/configured-integrations.ts');
  return configured.withIntegrations(context, work);
}

function jsonFrom(one: Integration): Record<string, unknown> {
  const { bonusUntil } = one;
  return {
    ...fieldJson(one, ['id', 'organizationId', 'name', 'url']),
    site: one.domain,
    ...fieldJson(one, ['state', 'stateChangedAt', 'checkedAt', 'reason', 'problem', 'failures', 'nextCheckAt']),
    ...fieldJson(one, ['lapsesAt']),
    has_bonus: bonusUntil !== null,
    bonus_until: bonusUntil instanceof Date ? timestampFromDate(bonusUntil) : null,
    ...fieldJson(one, ['createdAt']),
  };
}

const CHECK_FIELDS = ['id', 'checkedAt', 'reason', 'message', 'status', 'finalUrl', 'found', 'durationMs'] as const;

function tableOf({ tableText }: CommandContext, found: readonly Integration[]): string {
  const rows = found.map((each) => {
    return [each.id, each.name, each.url, each.state, each.checkedAt ?? 'not yet', bonusText(each)];
  });
  return tableText(['id', 'name', 'url', 'state', 'checked', 'bonus'], rows);
}

function bonusText({ bonusUntil }: Integration): string {
  if (bonusUntil === null) return 'no';
  return bonusUntil === 'lost' ? 'yes' : `until ${timestampFromDate(bonusUntil)}`;
}

function evidenceLines({ paint }: CommandContext, { reason, message, status, finalUrl }: Check): readonly string[] {
  const verdict = reason === 'FOUND' ? paint.green('found') : paint.yellow(reason);
  return [`${verdict}: ${message}`, ...(finalUrl === null ? [] : [`at ${finalUrl} (${status})`])];
}
