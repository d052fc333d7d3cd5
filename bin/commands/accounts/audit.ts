import type { AuditEntry } from '../../../api/accounts/audit.ts';
import { type CommandContext, defineCommand, fieldJson, optionalArgument, optionOr } from '../../cli/command.ts';
import { numberValue } from '../../cli/option-values.ts';
import { withChanges } from '../../config/configured-accounts.ts';

const FIELDS = ['id', 'at', 'actor', 'origin', 'action', 'subjectId', 'details'] as const;

export const showAudit = defineCommand({
  name: 'audit',
  description:
    'Show who did what to an organization and its keys, newest first; without one, to all of them and the store',
  arguments: { org: optionalArgument('id of the organization, org_…') },
  options: { limit: optionOr(100, '<n>', 'the most entries to show', numberValue(1, 10_000)) },
  examples: ['modelstats orgs audit ID', 'modelstats orgs audit --limit 20'],
  async run(context, { org, limit }) {
    const { listAudit } = await import('../../../api/accounts/organizations/organizations.ts');
    const entries = await withChanges(context, (changes) => listAudit(org, { limit }, changes));
    const none = 'the audit log is empty';
    const describe = () => (entries.length === 0 ? none : tableOf(context, entries));
    context.printResult(
      { organization_id: org ?? null, entries: entries.map((entry) => fieldJson(entry, FIELDS)) },
      describe,
    );
    return 0;
  },
});

function tableOf({ tableText }: CommandContext, entries: readonly AuditEntry[]): string {
  const rows = entries.map(({ at, actor, origin, action, subjectId, details }) => {
    return [at, actor, origin, action, subjectId, JSON.stringify(details)];
  });
  return tableText(['at', 'who', 'from', 'what', 'to', 'details'], rows);
}
