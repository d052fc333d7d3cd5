import { afterAll, beforeAll } from 'vitest';
import { PostgresServer } from '../support/processes/postgres-server.ts';
import { describeWith } from '../support/processes/server-process.ts';
import { describeCopies } from './copies.contract.ts';
import { describeRealDays } from './real-days.contract.ts';

describeWith('postgres', 'copies in a server of their own', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await PostgresServer.start();
  });
  afterAll(() => server?.stop());

  const kind = { name: 'PostgreSQL', newPlace: () => server.createDatabase() };
  describeCopies(kind);
  describeRealDays([kind]);
});
