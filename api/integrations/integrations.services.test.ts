import { describe } from 'vitest';
import { describePostgres } from '../../test/support/processes/postgres-server.ts';
import { describeBonus } from './bonus.contract.ts';
import { describeChecks } from './checks.contract.ts';
import { describeIntegrations } from './integrations.contract.ts';

describe('on PostgreSQL', () => {
  describePostgres('with a PostgreSQL server', (_, another) => {
    describeBonus('PostgreSQL', another);
    describeIntegrations('PostgreSQL', another);
    describeChecks('PostgreSQL', another);
  });
});
