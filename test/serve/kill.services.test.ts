import { describePostgres } from '../support/processes/postgres-server.ts';
import { describeServeKill } from './kill.contract.ts';

describePostgres('with a PostgreSQL server', (server) => {
  describeServeKill('PostgreSQL', () => server().createDatabase());
});
