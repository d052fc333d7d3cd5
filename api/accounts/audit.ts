import { randomBytes } from 'node:crypto';
import { newId } from '../../runtime/ulid.ts';
import { orUnavailable } from '../database/database-errors.ts';
import type { Database, Transaction } from '../database/tables/tables.ts';
import { type Actor, addressOf, auditName } from './actor.ts';

export interface AuditDeps {
  readonly database: Database;
  readonly clock: () => Date;
  /** Called when something was changed. */
  readonly onChange?: () => void;
}

/** Writes a line of the audit log, in the transaction of the change that it records. */
export type NoteAudit = (entry: Omit<NewAuditEntry, 'id' | 'at' | 'actor' | 'origin'>) => Promise<void>;

/** Reads and changes the control database for an actor: each change leaves its line of the audit log in the same transaction. */
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

  /** 32 bytes that nobody can guess: what a key or the token of a link is made of. */
  newSecret(): Uint8Array {
    return randomBytes(32);
  }

  /** Does work that only reads. Rejects with `unavailable`. */
  read<T>(work: (database: Database) => Promise<T>): Promise<T> {
    return orUnavailable(() => work(this.#deps.database));
  }

  /** Does work in a transaction, which has to begin with a write, as SQLite needs it. Rejects with `unavailable`. */
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

/** What operators and people do, as `subject.verb`. */
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

/** One thing that somebody did. */
export interface AuditEntry {
  readonly id: string;
  readonly at: Date;
  /** Null for what concerns no organization. */
  readonly organizationId: string | null;
  /** Who did it: `cli:` and the user of the operating system, `person:` and an address of mail, `system` for the service itself. */
  readonly actor: string;
  /** Of this or another version, so not only an {@link AuditAction}. */
  readonly action: string;
  /** The id of what it was done to, such as a key's, or the address of a store. */
  readonly subjectId: string | null;
  /** Facts without secrets. */
  readonly details: Readonly<Record<string, unknown>>;
  /** The address that it was done from; null: from the machine of the service, or by an older version. */
  readonly origin: string | null;
}

/** What is to be noted; the id sorts after those of earlier entries. */
export interface NewAuditEntry extends AuditEntry {
  readonly action: AuditAction;
}

/**
 * Notes what somebody does (specification "Audit log"). Give it the transaction of the change itself, so that neither is there
 * without the other.
 */
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

/** The newest entries, newest first: of an organization, or all, which are also those that concern none. */
export async function readAudit(
  database: Database,
  { organizationId, limit }: { readonly organizationId: string | undefined; readonly limit: number },
): Promise<readonly AuditEntry[]> {
  const all = database.selectFrom('audit_log').selectAll().orderBy('id', 'desc').limit(limit);
  const wanted = organizationId === undefined ? all : all.where('organization_id', '=', organizationId);
  const rows = await wanted.execute();
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
