import { setImmediate as nextTurn } from 'node:timers/promises';
import { CompiledQuery } from 'kysely';
import type { ControlDatabase, SqliteEngine } from './control-database.ts';
import { orUnavailable } from './database-errors.ts';
import type { Database } from './tables/tables.ts';
import { runImmediately, whileBusy, writeStatement, writeTransaction } from './write-transaction.ts';

/**
 * Statements of every request. Kysely takes several times longer to build them, and to wait for its connection, than
 * SQLite to run them. Their text is fixed, and a {@link Work} runs synchronously on SQLite, as one transaction.
 */
export interface Statement {
  readonly sqlite: string;
  readonly postgres: string;
}

/**
 * @param name makes PostgreSQL prepare it, see postgres-database.ts
 * @param textFrom builds it from the table of its rows (see `jsonRows`) and from `inOrder`, the order of PostgreSQL's
 * locks
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

/** Within a work: `yield* query(…)`. */
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
 * All or nothing; retried while SQLite is busy. Rejects with `unavailable`.
 * @param work called for each attempt; effects outside of the database are not undone
 * @param isSingle a single statement, which PostgreSQL runs as a transaction by itself
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

/** Other transactions on the connection are short. */
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
