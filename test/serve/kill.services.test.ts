import { describe } from 'vitest';
import { describePostgres } from '../support/processes/postgres-server.ts';
import { describeServeKill } from './kill.contract.ts';

describe('on PostgreSQL', () => {
  describePostgres('with a PostgreSQL server', (server) => {
    describeServeKill('PostgreSQL', () => server().createDatabase());
  });
});
