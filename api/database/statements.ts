import { setImmediate as nextTurn } from 'node:timers/promises';
import { CompiledQuery } from 'kysely';
import type { ControlDatabase, SqliteEngine } from './control-database.ts';
import { orUnavailable } from './database-errors.ts';
import type { Database } from './tables/tables.ts';
import { runImmediately, whileBusy, writeStatement, writeTransaction } from './write-transaction.ts';

/**
 * Statements that every request needs. Building them with Kysely, and waiting for its connection, takes several times as long as
 * SQLite takes to run them, the more so where the processor's caches have forgotten the code. So their text is fixed, and a
 * {@link Work} of several runs synchronously on SQLite, as one transaction that nothing comes between. On PostgreSQL it awaits
 * each of them.
 */
export interface Statement {
  readonly sqlite: string;
  readonly postgres: string;
}

/**
 * @param name tells PostgreSQL to prepare it, see postgres-database.ts
 * @param textFrom the statement, from the table of its rows: column `value` is a row as JSON, see `jsonRows`; and from how it
 *   says in which order PostgreSQL locks them, where several are. SQLite has one writer, and would only sort them.
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

/** Yields a query and gets its rows, as often as it needs; returns what came of it. */
export type Work<T> = Generator<Query, T, readonly unknown[]>;

/** Runs a statement within a work: `yield* query(…)`. `Row` is what the statement returns. */
export function* query<Row>(statement: Statement, rows: readonly unknown[]): Work<readonly Row[]> {
  return (yield { statement, rows }) as readonly Row[];
}

/** Runs work that only reads. Rejects with `unavailable`. */
export function readWork<T>(database: ControlDatabase, work: () => Work<T>): Promise<T> {
  const { engine, kysely } = database;
  return engine.kind === 'sqlite'
    ? onSqlite(engine, () => runOnSqlite(engine, work()))
    : orUnavailable(() => runOnPostgres(kysely, work()));
}

/**
 * Runs work that writes, all or nothing; begins anew where SQLite was busy. Rejects with `unavailable`.
 *
 * @param work called for each attempt; what it changes beside the database is not undone
 * @param isAlone it is a single statement, which PostgreSQL makes a transaction by itself
 */
export function writeWork<T>(
  database: ControlDatabase,
  work: () => Work<T>,
  { isAlone }: { readonly isAlone: boolean },
): Promise<T> {
  const { engine } = database;
  if (engine.kind === 'sqlite')
    return onSqlite(engine, () => runImmediately(engine, () => runOnSqlite(engine, work())));
  return (isAlone ? writeStatement : writeTransaction)(database, (transaction) => runOnPostgres(transaction, work()));
}

/** Waits for the transactions of others on the connection, which await nothing but the database. */
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
