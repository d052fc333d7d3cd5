import { randomBytes } from 'node:crypto';
import { orUnavailable } from './database-errors.ts';
import type { Database } from './tables/tables.ts';

/** Created by the first caller and shared by all (decision 0028). Rejects with `unavailable`. */
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

/** Rejects with `unavailable`. */
export async function probeReading(database: Database): Promise<void> {
  await orUnavailable(() => database.selectFrom('service_values').select('name').limit(1).execute());
}

/** Rejects with `unavailable`. */
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
