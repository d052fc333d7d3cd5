import { randomBytes } from 'node:crypto';
import { orUnavailable } from './database-errors.ts';
import type { Database } from './tables/tables.ts';

/**
 * A secret created once (decision 0028): the first caller stores it, and all who share the database read the same.
 * Rejects with `unavailable`.
 */
export function getServiceSecret(database: Database, name: string, now: Date): Promise<Buffer> {
  return orUnavailable(async () => {
    const stored = () =>
      database.selectFrom('service_values').select('value').where('name', '=', `secret:${name}`).executeTakeFirst();
    if ((await stored()) === undefined) {
      const value = randomBytes(32).toString('base64');
      await database
        .insertInto('service_values')
        .values({ name: `secret:${name}`, value, changed_at: now.getTime() })
        .onConflict((conflict) => conflict.column('name').doNothing())
        .execute();
    }
    const row = await stored();
    if (row === undefined) throw new Error(`the secret ${name} was not stored`);
    return Buffer.from(row.value, 'base64');
  });
}

/** Checks that the database can be read. Rejects with `unavailable`. */
export async function probeReading(database: Database): Promise<void> {
  await orUnavailable(() => database.selectFrom('service_values').select('name').limit(1).execute());
}

/** Checks that the database can be written. Rejects with `unavailable`. */
export async function probeWriting(database: Database, now: Date): Promise<void> {
  const row = { name: 'probe', value: '', changed_at: now.getTime() };
  await orUnavailable(() =>
    database
      .insertInto('service_values')
      .values(row)
      .onConflict((conflict) => conflict.column('name').doUpdateSet(row))
      .execute(),
  );
}
