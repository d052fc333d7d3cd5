import { describe } from 'vitest';
import { describePostgres } from '../../../test/support/processes/postgres-server.ts';
import { describePeople } from './people.contract.ts';

describe('on PostgreSQL', () => {
  describePostgres('with a PostgreSQL server', (_, another) => describePeople('PostgreSQL', another));
});
