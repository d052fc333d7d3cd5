import { describeAccounts } from './accounts.contract.ts';
import { PostgresServer } from './testing/postgres-server.ts';
import { describeWith } from './testing/server-process.ts';

describeWith('postgres', 'with a PostgreSQL server', () => {
  describeAccounts('PostgreSQL', async () => {
    const server = await PostgresServer.start();
    const another = () => server.createDatabase();
    return { url: await another(), another, close: () => server.stop() };
  });
});
