/** What parallel requests must not get past, over real connections, spread over two processes that hold their limits together. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Accounts, openAccounts } from '../../api/accounts/open-accounts.ts';
import { addCustomer, type Customer, times } from '../support/accounts/subject.ts';
import { countStatuses, fetchOnce } from '../support/api/listen.ts';
import { openSampleStore } from '../support/pipeline/sample-store.ts';
import { PostgresServer } from '../support/processes/postgres-server.ts';
import { RedisServer } from '../support/processes/redis-server.ts';
import { describeWith } from '../support/processes/server-process.ts';
import { ServingProcess } from '../support/processes/serving-process.ts';

describeWith('postgres', 'with a PostgreSQL server', () => {
  describeWith('redis-server', 'and a Redis server, two processes of modelstats serve', () => {
    let accounts: Accounts;
    let servers: readonly ServingProcess[];
    let close = async () => {};

    beforeAll(async () => {
      const [postgres, redis, store] = [
        await PostgresServer.start(),
        await RedisServer.start(),
        await openSampleStore(),
      ];
      const database = await postgres.createDatabase();
      accounts = await openAccounts(database);
      const options = { store: store.folder, database, env: { MODELSTATS_REDIS: redis.url } };
      servers = await Promise.all([ServingProcess.start(options), ServingProcess.start(options)]);
      close = async () => {
        await Promise.all(servers.map((serving) => serving.dispose()));
        await accounts.close();
        await redis.stop();
        await postgres.stop();
        await store.dispose();
      };
    });
    afterAll(() => close());

    const add = (daily_quota: number | null, burst_per_minute = 10_000): Promise<Customer> =>
      addCustomer(accounts, { plan: 'commercial', contract: { daily_quota, burst_per_minute } });

    const urlOf = (index: number, path: string) => `${servers[index % servers.length]?.url}${path}`;

    /** So many requests at once; every two of them ask both servers for the next of these paths. */
    const askAtOnce = (count: number, { key }: Customer, paths: readonly string[], headers = {}) =>
      countStatuses(count, (index, agent) =>
        fetchOnce(urlOf(index, paths[(index >> 1) % paths.length] ?? ''), key, { agent, headers }),
      );

    /** The customer's units as each server reports them. */
    async function usedBy({ key }: Customer): Promise<readonly number[]> {
      const answers = await times(servers.length, (index) => fetchOnce(urlOf(index, '/v1/account'), key));
      return answers.map(({ body }) => JSON.parse(body).usage.used);
    }

    test('200 for the last 50 units: exactly 50 are served, the others get quota_exceeded', async () => {
      const customer = await add(60);
      await askAtOnce(10, customer, ['/v1/models']);
      const paths = ['/v1/models', '/v1/scores', '/v1/changes', '/v1/snapshots'];
      expect(await askAtOnce(200, customer, paths)).toEqual({ 200: 50, 429: 150 });
      expect(await usedBy(customer)).toEqual([60, 60]);
    });

    test('200 of which half fail: every failure gives its unit back', async () => {
      const customer = await add(150);
      const { 200: served = 0 } = await askAtOnce(200, customer, ['/v1/models', '/v1/models/none']);
      expect(await usedBy(customer)).toEqual([served, served]);
      // A unit that is held by a request which will fail may refuse another for that moment.
      expect(served).toBeGreaterThan(50);
    });

    test('200 for a burst of 50: exactly 50 are served', async () => {
      expect(await askAtOnce(200, await add(null, 50), ['/v1/models'])).toEqual({ 200: 50, 429: 150 });
    });

    test('50 with one Idempotency-Key are served for one unit', async () => {
      const customer = await add(1);
      const headers = { 'idempotency-key': 'the same' };
      expect(await askAtOnce(50, customer, ['/v1/models'], headers)).toEqual({ 200: 50 });
      expect(await usedBy(customer)).toEqual([1, 1]);
    });
  });
});
