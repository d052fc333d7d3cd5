import { randomBytes } from 'node:crypto';
import { newId } from '../../runtime/ulid.ts';
import { orUnavailable } from '../database/database-errors.ts';
import type { Database, Transaction } from '../database/tables/tables.ts';
import { type Actor, addressOf, auditName } from './actor.ts';

export interface AuditDeps {
  readonly database: Database;
  readonly clock: () => Date;
  /** Called after each change. */
  readonly onChange?: () => void;
}

export type NoteAudit = (entry: Omit<NewAuditEntry, 'id' | 'at' | 'actor' | 'origin'>) => Promise<void>;

/** Each change writes its audit entry in the same transaction. */
export class AuditedChanges {
  readonly #deps: AuditDeps;
  readonly actor: Actor;

  constructor(deps: AuditDeps, actor: Actor) {
    this.#deps = deps;
    this.actor = actor;
  }

  now(): Date {
    return this.#deps.clock();
  }

  newSecret(): Uint8Array {
    return randomBytes(32);
  }

  /** Runs read-only work. Rejects with `unavailable`. */
  read<T>(work: (database: Database) => Promise<T>): Promise<T> {
    return orUnavailable(() => work(this.#deps.database));
  }

  /** Runs work in a transaction that must begin with a write (SQLite). Rejects with `unavailable`. */
  async change<T>(work: (transaction: Transaction, note: NoteAudit) => Promise<T>): Promise<T> {
    const by = { actor: auditName(this.actor), origin: addressOf(this.actor) };
    const result = await this.read((database) =>
      database
        .transaction()
        .execute((transaction) =>
          work(transaction, (entry) =>
            recordAudit(transaction, { ...entry, ...by, id: newId('audit'), at: this.now() }),
          ),
        ),
    );
    this.#deps.onChange?.();
    return result;
  }
}

/** Actions as `subject.verb`. */
export const AUDIT_ACTIONS = [
  'organization.create',
  'organization.set_plan',
  'organization.set_email',
  'key.create',
  'key.rotate',
  'key.revoke',
  'person.sign_in',
  'person.sign_out_everywhere',
  'person.set_password',
  'person.remove_password',
  'person.set_digest',
  'member.add',
  'member.invite',
  'member.accept',
  'member.change_role',
  'member.remove',
  'invitation.revoke',
  'connection.create',
  'connection.revoke',
  'webhook.add',
  'webhook.enable',
  'webhook.rotate_secret',
  'webhook.remove',
  'webhook.test',
  'webhook.replay',
  'webhook.revoke',
  'webhook.suspend',
  'webhook.resume',
  'webhook.reseal_secrets',
  'integration.declare',
  'integration.verify',
  'integration.put_at_risk',
  'integration.lapse',
  'integration.reject',
  'integration.remove',
  'night.accept',
  'store.backfill_pricing',
  'store.mirror',
  'store.prune',
  'store.rebuild_catalog',
  'store.redate',
  'store.republish',
] as const;
export type AuditAction = (typeof AUDIT_ACTIONS)[number];

export interface AuditEntry {
  readonly id: string;
  readonly at: Date;
  /** Null if no organization is concerned. */
  readonly organizationId: string | null;
  /** `cli:` and the system user, `person:` and an email address, or `system`. */
  readonly actor: string;
  /** Another version may write actions unknown to {@link AuditAction}. */
  readonly action: string;
  /** For example a key's id or a store's address. */
  readonly subjectId: string | null;
  /** Never contains secrets. */
  readonly details: Readonly<Record<string, unknown>>;
  /** Client address; null: this machine, or written by an older version. */
  readonly origin: string | null;
}

/** Its id must sort after earlier ones. */
export interface NewAuditEntry extends AuditEntry {
  readonly action: AuditAction;
}

/** Pass the transaction of the change, so that both commit or neither (specification "Audit log"). */
export async function recordAudit(transaction: Database, entry: NewAuditEntry): Promise<void> {
  const { id, at, organizationId, actor, action, subjectId, details, origin } = entry;
  await transaction
    .insertInto('audit_log')
    .values({
      id,
      at: at.getTime(),
      organization_id: organizationId,
      actor,
      action,
      subject_id: subjectId,
      details: JSON.stringify(details),
      origin,
    })
    .execute();
}

/** Newest first; of all organizations and of none if not given. */
export async function readAudit(
  database: Database,
  { organizationId, limit }: { readonly organizationId: string | undefined; readonly limit: number },
): Promise<readonly AuditEntry[]> {
  const all = database.selectFrom('audit_log').selectAll().orderBy('id', 'desc').limit(limit);
  const selected = organizationId === undefined ? all : all.where('organization_id', '=', organizationId);
  const rows = await selected.execute();
  return rows.map((row) => ({
    id: row.id,
    at: new Date(row.at),
    organizationId: row.organization_id,
    actor: row.actor,
    action: row.action,
    subjectId: row.subject_id,
    details: JSON.parse(row.details),
    origin: row.origin,
  }));
}
