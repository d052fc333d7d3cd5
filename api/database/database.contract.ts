import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ControlDatabase } from './control-database.ts';
import { orUnavailable } from './database-errors.ts';
import { openDatabase } from './open-database.ts';
import { writeTransaction } from './write-transaction.ts';

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
        message: expect.stringContaining('the control database does not answer'),
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
