import { afterAll, beforeAll } from 'vitest';
import { PostgresServer } from '../../test/support/processes/postgres-server.ts';
import { describeWith } from '../../test/support/processes/server-process.ts';
import { describePeople } from './people.contract.ts';

describeWith('postgres', 'with a PostgreSQL server', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await PostgresServer.start();
  });
  afterAll(() => server?.stop());

  describePeople('PostgreSQL', () => server.createDatabase());
});
