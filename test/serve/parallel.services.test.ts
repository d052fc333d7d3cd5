import { describe } from 'vitest';
import { openAccounts } from '../../api/accounts/open-accounts.ts';
import { describeParallel } from '../../api/data/access/parallel.contract.ts';
import { addCustomer } from '../support/accounts/subject.ts';
import { openSampleStore } from '../support/pipeline/sample-store.ts';
import { PostgresServer } from '../support/processes/postgres-server.ts';
import { RedisServer } from '../support/processes/redis-server.ts';
import { describeWith } from '../support/processes/server-process.ts';
import { ServingProcess } from '../support/processes/serving-process.ts';

describe('in two processes', () => {
  describeWith('postgres', 'with a PostgreSQL server', () => {
    describeWith('redis-server', 'and a Redis server', () => {
      describeParallel('two processes of modelstats serve that share PostgreSQL and Redis', async () => {
        const [postgres, redis, store] = [
          await PostgresServer.start(),
          await RedisServer.start(),
          await openSampleStore(),
        ];
        const database = await postgres.createDatabase();
        const accounts = await openAccounts(database);
        const options = { store: store.folder, database, env: { MODELSTATS_REDIS: redis.url } };
        const servers = await Promise.all([ServingProcess.start(options), ServingProcess.start(options)]);
        return {
          urls: servers.map(({ url }) => url),
          add: (contract) => addCustomer(accounts, { plan: 'commercial', contract }),
          close: async () => {
            await Promise.all(servers.map((serving) => serving.dispose()));
            await accounts.close();
            await redis.stop();
            await postgres.stop();
            await store.dispose();
          },
        };
      });
    });
  });
});
