import { describe } from 'vitest';
import { describePostgres } from '../support/processes/postgres-server.ts';
import { describeKills } from './kill.contract.ts';

describe('on PostgreSQL', () => {
  describePostgres('syncs into a server of their own that are killed', (server) => {
    describeKills({ name: 'PostgreSQL', newPlace: () => server().createDatabase() });
  });
});
