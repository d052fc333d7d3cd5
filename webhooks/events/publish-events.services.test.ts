import { PostgresServer } from '../../test/support/processes/postgres-server.ts';
import { describeWith } from '../../test/support/processes/server-process.ts';
import { describeEvents } from './publish-events.contract.ts';

describeWith('postgres', 'with a PostgreSQL server', () => {
  describeEvents('PostgreSQL', async () => {
    const server = await PostgresServer.start();
    return { another: () => server.createDatabase(), close: () => server.stop() };
  });
});
