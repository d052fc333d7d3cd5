import type { Kysely, Transaction } from 'kysely';
import type { ControlDatabase } from '../../../api/database/control-database.ts';
import type { ControlTables } from '../../../api/database/tables/tables.ts';

/** What everything throws once the process is as good as dead. */
export class Killed extends Error {}

export type MomentOfDeath = 'before the commit' | 'after the commit';

export interface DeathOptions {
  /** The transaction, from 1, with which it dies; 0: it never does. */
  readonly after: number;
  readonly moment?: MomentOfDeath;
  /** Told the number of each transaction, from 1, before it begins. */
  readonly onTransaction?: (count: number) => Promise<void>;
}

/** A control database as a process sees it that is killed: from then on nothing it does has any effect. */
export function dyingDatabase(
  control: ControlDatabase,
  { after, moment = 'after the commit', onTransaction = async () => {} }: DeathOptions,
): ControlDatabase & { readonly transactions: number } {
  let [count, isDead] = [0, false];
  const die = (): never => {
    isDead = true;
    throw new Killed('killed');
  };
  type Work<T> = (transaction: Transaction<ControlTables>) => Promise<T>;
  const transaction = () => ({
    execute: async <T>(work: Work<T>): Promise<T> => {
      if (isDead) die();
      count += 1;
      const mine = count;
      await onTransaction(mine);
      const result = await control.kysely.transaction().execute(async (inner) => {
        const value = await work(inner);
        return mine === after && moment === 'before the commit' ? die() : value;
      });
      return mine === after ? die() : result;
    },
  });
  const kysely = new Proxy(control.kysely, {
    get: (target, property) => {
      if (isDead) die();
      if (property === 'transaction') return transaction;
      const value: unknown = Reflect.get(target, property, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  return {
    ...control,
    kysely: kysely satisfies Kysely<ControlTables>,
    get transactions() {
      return count;
    },
  };
}
