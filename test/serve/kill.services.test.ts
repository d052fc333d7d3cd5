import { describe } from 'vitest';
import { describePostgres } from '../support/processes/postgres-server.ts';
import { describeServeKill } from './kill.contract.ts';

describe('on PostgreSQL', () => {
  describePostgres('with a PostgreSQL server', (_, another) => {
    describeServeKill('PostgreSQL', another);
  });
});
