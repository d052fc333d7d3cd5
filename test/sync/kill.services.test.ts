import { afterAll, beforeAll } from 'vitest';
import { PostgresServer } from '../support/processes/postgres-server.ts';
import { describeWith } from '../support/processes/server-process.ts';
import { describeKills, makeCopy } from './kill.contract.ts';

describeWith('postgres', 'syncs into a server of their own that are killed', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await PostgresServer.start();
  });
  afterAll(() => server?.stop());

  describeKills({
    name: 'PostgreSQL',
    newPlace: async (service, { isOld }) => {
      const into = await server.createDatabase();
      if (isOld) await makeCopy(service, into);
      return into;
    },
  });
});
