import type { Kysely, Transaction } from 'kysely';
import { orUnavailable } from '../../database/errors/database-errors.ts';
import type { ControlTables } from '../../database/tables/tables.ts';
import { type NewAuditEntry, recordAudit } from './audit-log.ts';

export interface AuditDeps {
  readonly database: Kysely<ControlTables>;
  readonly clock: () => Date;
  /** A new unique id, later ones sorting after earlier ones. */
  readonly newId: () => string;
  /** Called when something was changed. */
  readonly onChange?: () => void;
}

/** Writes a line of the audit log, in the transaction of the change that it tells of. */
export type NoteAudit = (entry: Omit<NewAuditEntry, 'id' | 'at' | 'actor' | 'origin'>) => Promise<void>;

/** Reads and changes the control database for somebody who acts: each change leaves its line in the same transaction. */
export class AuditedChanges {
  readonly #deps: AuditDeps;
  /** Who does it, as the audit log names them. */
  readonly actor: string;
  /** The address that they do it from; null: from this machine. */
  readonly origin: string | null;

  constructor(deps: AuditDeps, actor: string, origin: string | null = null) {
    this.#deps = deps;
    this.actor = actor;
    this.origin = origin;
  }

  now(): Date {
    return this.#deps.clock();
  }

  /** A new id: a prefix, such as `org`, and what makes it unique. */
  newId(prefix: string): string {
    return `${prefix}_${this.#deps.newId()}`;
  }

  /** Does work that only reads. Rejects with `unavailable`. */
  read<T>(work: (database: Kysely<ControlTables>) => Promise<T>): Promise<T> {
    return orUnavailable(() => work(this.#deps.database));
  }

  /** Does work in a transaction, which has to begin with a write, as SQLite needs it. Rejects with `unavailable`. */
  async change<T>(work: (transaction: Transaction<ControlTables>, note: NoteAudit) => Promise<T>): Promise<T> {
    const result = await this.read((database) =>
      database.transaction().execute((transaction) =>
        work(transaction, (entry) => {
          const id = this.newId('audit');
          return recordAudit(transaction, { ...entry, id, at: this.now(), actor: this.actor, origin: this.origin });
        }),
      ),
    );
    this.#deps.onChange?.();
    return result;
  }
}
