import { type CompiledQuery, type Kysely, sql } from 'kysely';
import { ulidFromWords } from '../../../runtime/ulid-from-words.ts';
import type { AuditAction } from '../../accounts/audit.ts';
import type { ControlTables } from '../../database/tables/tables.ts';
import { FAILURES_MAX } from './endpoint.ts';
import { compileMove } from './transitions.ts';

const ACTION = 'webhook.revoke' satisfies AuditAction;

/**
 * The statements that revoke an active endpoint, for transactions that don't run through Kysely: its new state, the notice for its
 * owner, and the line of the audit log.
 */
export function compileRevocation(database: Kysely<ControlTables>, id: string, now: Date): readonly CompiledQuery[] {
  const notice = database.updateTable('webhook_endpoints').set({ notice: 'revoked' }).where('id', '=', id);
  // Endpoints are revoked once per instant, so the id follows from both.
  const auditId = `audit_${ulidFromWords(now, [ACTION, id])}`;
  const details = JSON.stringify({ consecutive_failures: FAILURES_MAX });
  const audit = sql`insert into audit_log (id, at, organization_id, actor, action, subject_id, details)
    select ${auditId}, cast(${now.getTime()} as bigint), organization_id, 'system', ${ACTION}, id, ${details}
    from webhook_endpoints where id = ${id}`;
  return [
    compileMove(database, id, { from: ['active'], to: 'revoked', now }),
    notice.compile(),
    audit.compile(database),
  ];
}
