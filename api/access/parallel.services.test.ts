import { PostgresServer } from '../../accounts/testing/postgres-server.ts';
import { RedisServer } from '../../accounts/testing/redis-server.ts';
import { describeWith } from '../../accounts/testing/server-process.ts';
import { describeParallel } from './parallel.contract.ts';

describeWith('postgres', 'with a PostgreSQL server', () => {
  describeParallel('PostgreSQL', 1, async () => {
    const postgres = await PostgresServer.start();
    return { database: await postgres.createDatabase(), close: () => postgres.stop() };
  });

  describeWith('redis-server', 'and a Redis server', () => {
    describeParallel('two APIs that share PostgreSQL and Redis', 2, async () => {
      const [postgres, redis] = [await PostgresServer.start(), await RedisServer.start()];
      const close = async () => {
        await redis.stop();
        await postgres.stop();
      };
      return { database: await postgres.createDatabase(), redis: redis.url, close };
    });
  });
});
