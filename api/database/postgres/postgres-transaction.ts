import type pg from 'pg';

/** Work in a transaction on a connection of its own, for statements that don't run through Kysely. */
export async function transactOn<T>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    const result = await work(client);
    await client.query('commit');
    client.release();
    return result;
  } catch (error) {
    client.release(true); // Closing the connection is the surest rollback.
    throw error;
  }
}
