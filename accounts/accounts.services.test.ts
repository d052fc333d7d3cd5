import { PostgresServer } from '../test/support/processes/postgres-server.ts';
import { describeWith } from '../test/support/processes/server-process.ts';
import { describeAccounts } from './accounts.contract.ts';

describeWith('postgres', 'with a PostgreSQL server', () => {
  describeAccounts('PostgreSQL', async () => {
    const server = await PostgresServer.start();
    const another = () => server.createDatabase();
    return { url: await another(), another, close: () => server.stop() };
  });
});
