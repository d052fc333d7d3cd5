import type pg from 'pg';
import { orUnavailable } from '../database/database-errors.ts';
import { readUsage } from './postgres-read.ts';
import { release } from './postgres-release.ts';
import { reserve } from './postgres-reserve.ts';
import type { Queryable } from './postgres-rows.ts';
import type { ReleaseRequest, ReserveRequest, UsageAnswer, UsageRequest, UsageStore } from './usage-store.ts';

/**
 * Usage in PostgreSQL: a batch is one statement per kind of request. Only reservations and releases with an Idempotency-Key
 * need a transaction, because the key and its unit belong together.
 *
 * Every statement locks its rows in the order of their primary keys, and a transaction locks Idempotency-Keys before usage, so
 * batches of several processes wait for each other but never in a circle.
 */
export class PostgresUsage implements UsageStore {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** Releases first, then reservations, then reads, whatever their order; answers in the order of the requests. */
  apply(requests: readonly UsageRequest[]): Promise<readonly UsageAnswer[]> {
    return orUnavailable(async () => {
      const answers = new Map<UsageRequest, UsageAnswer>();
      const releases = requests.filter((request) => request.kind === 'release');
      const reserves = requests.filter((request) => request.kind === 'reserve');
      if (releases.length > 0) await this.#transact(releases, (client) => release(client, releases));
      if (reserves.length > 0)
        for (const [request, answer] of await this.#transact(reserves, (client) => reserve(client, reserves)))
          answers.set(request, answer);
      const open = requests.filter((request) => !answers.has(request));
      if (open.length > 0)
        for (const [request, answer] of await readUsage(this.#pool, open)) answers.set(request, answer);
      return requests.map((request) => answers.get(request) ?? { isGranted: false, used: 0 });
    });
  }

  /** In a transaction where a request has an Idempotency-Key; else a statement is one by itself. */
  async #transact<T>(
    requests: readonly (ReserveRequest | ReleaseRequest)[],
    work: (client: Queryable) => Promise<T>,
  ): Promise<T> {
    if (requests.every(({ idempotencyKey }) => idempotencyKey === undefined)) return work(this.#pool);
    const client = await this.#pool.connect();
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
}
