import type { Kysely, Transaction } from 'kysely';
import { orUnavailable } from '../../database/database-errors.ts';
import type { ControlTables } from '../../database/tables.ts';
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
export type NoteAudit = (entry: Omit<NewAuditEntry, 'id' | 'at' | 'actor'>) => Promise<void>;

/** Reads and changes the control database for somebody who acts: each change leaves its line in the same transaction. */
export class AuditedChanges {
  readonly #deps: AuditDeps;
  readonly #actor: string;

  constructor(deps: AuditDeps, actor: string) {
    this.#deps = deps;
    this.#actor = actor;
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
          return recordAudit(transaction, { ...entry, id, at: this.now(), actor: this.#actor });
        }),
      ),
    );
    this.#deps.onChange?.();
    return result;
  }
}
