import Table from 'cli-table3';
import type { AuditEntry } from '../../../api/accounts/audit.ts';
import { listAudit } from '../../../api/accounts/organizations/organizations.ts';
import { timestampFromDate } from '../../../runtime/day.ts';
import type { CommandContext } from '../../cli/command-context.ts';
import { withChanges } from '../../config/accounts/configured-accounts.ts';

export interface AuditOptions {
  readonly org: string | undefined;
  readonly limit: number;
  readonly json?: boolean;
}

/** `modelstats orgs audit [ORG]`: what was done, newest first; without one also to the store. */
export async function showAudit(context: CommandContext, { org, limit, json }: AuditOptions): Promise<number> {
  const entries = await withChanges(context, (changes) => listAudit(org, { limit }, changes));
  if (json) context.print(JSON.stringify({ organization_id: org ?? null, entries: entries.map(jsonFrom) }));
  else if (entries.length === 0) context.print('nothing was done since there is an audit log');
  else context.print(tableOf(entries));
  return 0;
}

function jsonFrom({ id, at, actor, action, subjectId, details, origin }: AuditEntry) {
  return { id, at: timestampFromDate(at), actor, origin, action, subject_id: subjectId, details };
}

function tableOf(entries: readonly AuditEntry[]): string {
  const table = new Table({ head: ['at', 'who', 'from', 'what', 'to', 'details'], style: { head: [], border: [] } });
  for (const { at, actor, origin, action, subjectId, details } of entries)
    table.push([timestampFromDate(at), actor, origin ?? '', action, subjectId ?? '', JSON.stringify(details)]);
  return table.toString();
}
