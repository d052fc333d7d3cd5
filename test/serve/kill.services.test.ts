import { onTestFinished } from 'vitest';
import { PostgresServer } from '../support/processes/postgres-server.ts';
import { describeWith } from '../support/processes/server-process.ts';
import { describeServeKill } from './kill.contract.ts';

describeWith('postgres', 'with a PostgreSQL server', () => {
  describeServeKill('PostgreSQL', async () => {
    const postgres = await PostgresServer.start();
    onTestFinished(() => postgres.stop());
    return postgres.createDatabase();
  });
});
