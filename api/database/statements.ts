import { setImmediate as nextTurn } from 'node:timers/promises';
import { CompiledQuery } from 'kysely';
import type { ControlDatabase, SqliteEngine } from './control-database.ts';
import { orUnavailable } from './database-errors.ts';
import type { Database } from './tables/tables.ts';
import { runImmediately, whileBusy, writeStatement, writeTransaction } from './write-transaction.ts';

/**
 * Statements of every request. Building them with Kysely and waiting for its connection takes several times longer than
 * SQLite takes to run them. Their text is fixed, and a {@link Work} of several runs synchronously on SQLite, as one
 * transaction; on PostgreSQL it awaits each.
 */
export interface Statement {
  readonly sqlite: string;
  readonly postgres: string;
}

/**
 * @param name makes PostgreSQL prepare it, see postgres-database.ts
 * @param textFrom builds the statement from the table of its rows, whose column `value` is a row as JSON (see
 * `jsonRows`), and from `inOrder`, which sets PostgreSQL's order of locks; SQLite, with its single writer, needs none
 */
export function defineStatement(
  name: string,
  textFrom: (rows: string, inOrder: (columns: string) => string) => string,
): Statement {
  const postgres = textFrom('json_array_elements(cast($1 as json)) as value', (columns) => `order by ${columns}`);
  return {
    sqlite: `/* ${name} */ ${textFrom('json_each(?)', () => '')}`,
    postgres: `/* ${name} */ ${postgres}`,
  };
}

interface Query {
  readonly statement: Statement;
  readonly rows: readonly unknown[];
}

/** Yields queries, gets their rows, and returns a result. */
export type Work<T> = Generator<Query, T, readonly unknown[]>;

/** Runs a statement within a work: `yield* query(…)`. */
export function* query<Row>(statement: Statement, rows: readonly unknown[]): Work<readonly Row[]> {
  return (yield { statement, rows }) as readonly Row[];
}

/** Runs read-only work. Rejects with `unavailable`. */
export function readWork<T>(database: ControlDatabase, work: () => Work<T>): Promise<T> {
  const { engine, kysely } = database;
  return engine.kind === 'sqlite'
    ? onSqlite(engine, () => runOnSqlite(engine, work()))
    : orUnavailable(() => runOnPostgres(kysely, work()));
}

/**
 * Runs work that writes, all or nothing; retried while SQLite is busy. Rejects with `unavailable`.
 * @param work called for each attempt; effects outside of the database are not undone
 * @param isAlone a single statement, which PostgreSQL runs as a transaction by itself
 */
export function writeWork<T>(
  database: ControlDatabase,
  work: () => Work<T>,
  { isSingle }: { readonly isSingle: boolean },
): Promise<T> {
  const { engine } = database;
  if (engine.kind === 'sqlite')
    return onSqlite(engine, () => runImmediately(engine, () => runOnSqlite(engine, work())));
  return (isSingle ? writeStatement : writeTransaction)(database, (transaction) => runOnPostgres(transaction, work()));
}

/** Waits for other transactions on the connection, which are short. */
function onSqlite<T>(engine: SqliteEngine, run: () => T): Promise<T> {
  return whileBusy(engine, async () => {
    while (engine.connection.inTransaction) await nextTurn();
    return run();
  });
}

function runOnSqlite<T>({ prepare }: SqliteEngine, work: Work<T>): T {
  let step = work.next();
  while (step.done !== true) {
    const { statement, rows } = step.value;
    const prepared = prepare(statement.sqlite);
    const parameter = JSON.stringify(rows);
    if (prepared.reader) step = work.next(prepared.all(parameter));
    else {
      prepared.run(parameter);
      step = work.next([]);
    }
  }
  return step.value;
}

async function runOnPostgres<T>(database: Database, work: Work<T>): Promise<T> {
  let step = work.next();
  while (step.done !== true) {
    const { statement, rows } = step.value;
    const text = CompiledQuery.raw(statement.postgres, [JSON.stringify(rows)]);
    step = work.next((await database.executeQuery(text)).rows);
  }
  return step.value;
}
