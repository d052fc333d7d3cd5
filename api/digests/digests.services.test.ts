import { describe } from 'vitest';
import { describePostgres } from '../../test/support/processes/postgres-server.ts';
import { describeDigests } from './digests.contract.ts';

describe('on PostgreSQL', () => {
  describePostgres('with a PostgreSQL server', (_, another) => describeDigests('PostgreSQL', another));
});
