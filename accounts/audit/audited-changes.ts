import type { Kysely, Transaction } from 'kysely';
import { orUnavailable } from '../../database/database-errors.ts';
import type { ControlTables } from '../../database/tables.ts';
import { type NewAuditEntry, recordAudit } from './audit-log.ts';

export interface AuditDeps {
  readonly database: Kysely<ControlTables>;
  readonly clock: () => Date;
  /** A new ULID, later ones sorting after earlier ones. */
  readonly newId: () => string;
}

/** Notes, in the transaction of a change, what it does. */
export type NoteAudit = (entry: Omit<NewAuditEntry, 'id' | 'at' | 'actor'>) => Promise<void>;

/** The control database as somebody changes it: what is done and its line in the audit log are one transaction. */
export class AuditedChanges {
  readonly #deps: AuditDeps;
  readonly #actor: string;

  constructor(deps: AuditDeps, actor: string) {
    this.#deps = deps;
    this.#actor = actor;
  }

  /** Runs one transaction; begin it with a write, as SQLite needs it. Rejects with `unavailable`. */
  change<T>(work: (transaction: Transaction<ControlTables>, note: NoteAudit) => Promise<T>): Promise<T> {
    return this.read((database) =>
      database.transaction().execute((transaction) =>
        work(transaction, (entry) => {
          const id = `audit_${this.#deps.newId()}`;
          return recordAudit(transaction, { ...entry, id, at: this.#deps.clock(), actor: this.#actor });
        }),
      ),
    );
  }

  /** Runs work without a transaction. Rejects with `unavailable`. */
  read<T>(work: (database: Kysely<ControlTables>) => Promise<T>): Promise<T> {
    return orUnavailable(() => work(this.#deps.database));
  }
}
