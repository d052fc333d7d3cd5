import { afterAll, beforeAll } from 'vitest';
import { PostgresServer } from '../test/support/processes/postgres-server.ts';
import { describeWith } from '../test/support/processes/server-process.ts';
import { describeBonus } from './bonus.contract.ts';
import { describeIntegrations } from './integrations.contract.ts';
import { describeChecks } from './queue/checks.contract.ts';

describeWith('postgres', 'with a PostgreSQL server', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await PostgresServer.start();
  });
  afterAll(() => server?.stop());

  describeIntegrations('PostgreSQL', () => server.createDatabase());

  describeBonus('PostgreSQL', () => server.createDatabase());
  describeChecks('PostgreSQL', () => server.createDatabase());
});
