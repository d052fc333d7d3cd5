import { describePostgres } from '../support/processes/postgres-server.ts';
import { describeKills } from './kill.contract.ts';

describePostgres('syncs into a server of their own that are killed', (server) => {
  describeKills({ name: 'PostgreSQL', newPlace: () => server().createDatabase() });
});
