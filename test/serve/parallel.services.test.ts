import { openAccounts } from '../../accounts/open-accounts.ts';
import { PostgresServer } from '../../accounts/testing/postgres-server.ts';
import { RedisServer } from '../../accounts/testing/redis-server.ts';
import { describeWith } from '../../accounts/testing/server-process.ts';
import { addCustomer } from '../../accounts/testing/subject.ts';
import { describeParallel } from '../../api/access/parallel.contract.ts';
import { publishSample } from '../../api/testing/guarded-api.ts';
import { ServingProcess } from '../serving.ts';

describeWith('postgres', 'with a PostgreSQL server', () => {
  describeWith('redis-server', 'and a Redis server', () => {
    describeParallel('two processes of modelstats serve that share PostgreSQL and Redis', async () => {
      const [postgres, redis, store] = [await PostgresServer.start(), await RedisServer.start(), await publishSample()];
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
