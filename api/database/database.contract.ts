import { readFileSync } from 'node:fs';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ControlDatabase } from './control-database.ts';
import { orUnavailable } from './database-errors.ts';
import { MIGRATIONS_TABLE } from './migrate.ts';
import { openDatabase } from './open-database.ts';
import { writeTransaction } from './write-transaction.ts';

/** What only servers of the version before read. */
const LEFT_FOR_OLDER = ['verified_integrations'];

const ACME = { id: 'org_1', name: 'Acme', created_at: 1_795_000_000_000, email: null, created_by: null };

/** What every control database does; `another` makes an empty one and gives its address. */
export function describeControlDatabase(name: string, another: () => Promise<string>): void {
  describe(`the control database on ${name}`, () => {
    let url: string;
    let database: ControlDatabase;

    beforeEach(async () => {
      url = await another();
      database = await openDatabase(url);
    });
    afterEach(() => database.close());

    test('has exactly the tables and columns of tables.ts', async () => {
      const tables = await database.kysely.introspection.getTables();
      const made = tables
        .filter((table) => !table.name.startsWith(MIGRATIONS_TABLE) && !LEFT_FOR_OLDER.includes(table.name))
        .map((table) => [table.name, table.columns.map((column) => column.name).sort()]);
      expect(Object.fromEntries(made)).toEqual(declaredColumns());
    });

    test('gives 64-bit numbers back as numbers, to Kysely and to prepared statements', async () => {
      await database.kysely.insertInto('organizations').values(ACME).execute();
      expect(await database.kysely.selectFrom('organizations').selectAll().execute()).toEqual([ACME]);
      expect(await readPrepared(database)).toEqual([ACME]);
    });

    test("shows with its version on SQLite that another opening has written, and not one's own writing", async () => {
      const before = database.version();
      await database.kysely.insertInto('organizations').values(ACME).execute();
      expect(database.version()).toBe(before);
      const other = await openDatabase(url);
      await other.kysely.deleteFrom('organizations').execute();
      await other.close();
      expect(database.version() !== before).toBe(database.engine.kind === 'sqlite');
    });

    test("rejects with the driver's error, which orUnavailable makes one of ours", async () => {
      const broken = () => sql`select * from no_such_table`.execute(database.kysely);
      await expect(broken()).rejects.toThrow('no_such_table');
      await expect(orUnavailable(broken)).rejects.toMatchObject({
        code: 'unavailable',
        message: expect.stringContaining('the control database is unavailable'),
      });
    });

    test('a transaction that fails for another reason than that another process writes is not tried again', async () => {
      let attempts = 0;
      const failing = writeTransaction(database, async () => {
        attempts += 1;
        throw new Error('no such row');
      });
      await expect(failing).rejects.toThrow('no such row');
      expect(attempts).toBe(1);
    });
  });
}

async function readPrepared({ engine }: ControlDatabase): Promise<readonly unknown[]> {
  const query = 'select id, name, created_at, email, created_by from organizations';
  switch (engine.kind) {
    case 'sqlite':
      return engine.connection.prepare(query).all();
    case 'postgres':
      return (await engine.pool.query(query)).rows;
  }
}

/** The columns of each table, sorted, as the interfaces in tables/ declare them. */
function declaredColumns(): Readonly<Record<string, readonly string[]>> {
  const declared = ['tables', 'people-tables', 'webhook-tables'].flatMap((name) =>
    interfacesIn(`${import.meta.dirname}/tables/${name}.ts`),
  );
  const membersOf = (name: string | undefined): readonly (readonly [string, string])[] => {
    const { bases, members } =
      declared.find((one) => one.name === name) ?? expect.fail(`there is no interface ${name}`);
    const own = members.map(([, member = '', type = '']) => [member, type] as const);
    return [...bases.flatMap(membersOf), ...own];
  };
  const columnsOf = (row: string) => membersOf(row).map(([column]) => column);
  return Object.fromEntries(membersOf('ControlTables').map(([table, row]) => [table, columnsOf(row).sort()]));
}

/** Each interface of a file, which the formatter has laid out: what it extends, and its members with the names of their types. */
function interfacesIn(path: string) {
  const text = readFileSync(path, 'utf8');
  return [...text.matchAll(/^(?:export )?interface (\w+)(?: extends ([\w, ]+))? \{\n([\s\S]*?)^\}/gm)].map(
    ([, name, bases = '', body = '']) => ({
      name,
      bases: bases.split(', ').filter((base) => base !== ''),
      members: [...body.matchAll(/^ {2}readonly (\w+): (\w+)/gm)],
    }),
  );
}
