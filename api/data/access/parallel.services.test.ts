import { describe } from 'vitest';
import { PostgresServer } from '../../../test/support/processes/postgres-server.ts';
import { describeWith } from '../../../test/support/processes/server-process.ts';
import { describeParallel, openParallelApi } from './parallel.contract.ts';

describe('on PostgreSQL', () => {
  describeWith('postgres', 'with a PostgreSQL server', () => {
    describeParallel('PostgreSQL', async () => {
      const postgres = await PostgresServer.start();
      const api = await openParallelApi(await postgres.createDatabase());
      const close = async () => {
        await api.close();
        await postgres.stop();
      };
      return { ...api, close };
    });
  });
});
